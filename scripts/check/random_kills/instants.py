"""Instants of a run at which it is worth being killed. Each waits for its instant; the run may end before."""
import time

LOOK = 0.0005  # seconds between looks


def wait_until(condition, run, seconds):
    deadline = time.monotonic() + seconds
    while not run.ended() and not condition() and time.monotonic() < deadline:
        time.sleep(LOOK)


def at_any_time(chance, run, seconds):
    """`seconds`: what a whole run takes."""
    wait_until(lambda: False, run, chance.random() * seconds)


def starting(chance, run, seconds):
    """Reading the configuration, tokenising, reserving memory."""
    wait_until(lambda: False, run, chance.random() * min(seconds, 0.15))


def in_the_first_step(chance, run, seconds):
    wait_until(run.has_begun, run, seconds)
    wait_until(lambda: False, run, chance.random() * 0.03)


def writing_logs(chance, run, seconds):
    lines = run.logged_bytes()
    for _ in range(chance.between(1, 5)):
        wait_until(lambda: run.logged_bytes() != lines, run, seconds)
        lines = run.logged_bytes()
    wait_until(lambda: False, run, chance.random() * 0.002)


def saving(chance, run, seconds):
    for _ in range(chance.between(1, 3)):
        wait_until(lambda: not run.is_saving(), run, seconds)
        wait_until(run.is_saving, run, seconds)
    wait_until(lambda: False, run, chance.random() * 0.02)


def after_saving(chance, run, seconds):
    """Renaming, removing older files, evaluating."""
    newest = run.newest()
    wait_until(lambda: run.newest() != newest, run, seconds)
    wait_until(lambda: False, run, chance.random() * 0.03)


def ending(chance, run, seconds):
    wait_until(run.has_all_steps, run, 4 * seconds)
    wait_until(lambda: False, run, chance.random() * 0.15)


INSTANTS = (at_any_time, starting, in_the_first_step, writing_logs, saving, after_saving, ending)
