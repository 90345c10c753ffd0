"""What runs.py is made of: runs drawn by seed, and what must hold of them."""
