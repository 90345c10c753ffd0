"""What kills.py is made of: runs, the instants at which they are killed, and what must be left of them."""
