"""Loss curves of two runs as SVG, for scripts/compare/training.py."""

import statistics


def nice_ticks(low, high, most):
    step = next(s for e in range(-3, 9) for s in (10**e, 2 * 10**e, 5 * 10**e) if (high - low) / s <= most)
    first = -(-low // step)
    return [(first + i) * step for i in range(int((high - first * step) / step + 1e-9) + 1)]


def draw_losses(losses, blocks=120):
    """The losses of two runs of as many steps, by name, as SVG that follows the reader's colour scheme. Each point is the
    mean over a block of steps."""
    steps = len(next(iter(losses.values())))
    edges = [steps * i // min(blocks, steps) for i in range(min(blocks, steps) + 1)]
    means = {name: [statistics.fmean(values[a:b]) for a, b in zip(edges, edges[1:])] for name, values in losses.items()}
    low, high = min(map(min, means.values())), max(map(max, means.values()))
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    left, top, width, height = 46, 14, 640, 250

    def x(step):
        return left + width * step / steps

    def y(loss):
        return top + height * (high - loss) / (high - low)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 14} {top + height + 40}" role="img" '
             'font-family="sans-serif" font-size="12"><title>Loss over the steps: Phasor and PyTorch</title><style>'
             ".page{fill:#fff}.grid{stroke:#ddd}text{fill:#333}polyline{fill:none}.a{stroke:#0b62c4;stroke-width:3}"
             ".b{stroke:#d9480f;stroke-width:1.4}@media(prefers-color-scheme:dark){.page{fill:#15181c}"
             ".grid{stroke:#3a3f46}text{fill:#ccd}.a{stroke:#5aa2f5}.b{stroke:#ff9a5c}}</style>"
             '<rect class="page" width="100%" height="100%"/>']
    for tick in nice_ticks(low, high, 7):
        parts.append(f'<path class="grid" d="M{left} {y(tick):.1f}h{width}"/>'
                     f'<text x="{left - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.4g}</text>')
    for tick in nice_ticks(0, steps, 8):
        parts.append(f'<text x="{x(tick):.1f}" y="{top + height + 16}" text-anchor="middle">{tick:g}</text>')
    parts.append(f'<text x="{left + width}" y="{top + height + 33}" text-anchor="end">steps</text>')
    middles = [(a + b) / 2 for a, b in zip(edges, edges[1:])]
    for (name, values), style in zip(means.items(), "ab"):
        points = " ".join(f"{x(step):.1f},{y(loss):.1f}" for step, loss in zip(middles, values))
        row = top + 20 * ("ab".index(style) + 1)
        parts.append(f'<polyline class="{style}" points="{points}"/><path class="{style}" d="M{left + width - 150} '
                     f'{row - 4}h28"/><text x="{left + width - 114}" y="{row}">{name}, loss</text>')
    return "\n".join(parts + ["</svg>", ""])
