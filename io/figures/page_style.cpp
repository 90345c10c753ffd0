#include "io/figures/page.h"

namespace phasor::io {

namespace {

constexpr const char* kLight = R"css(
  --page: #f4f6f9; --card: #ffffff; --edge: #e1e6ed; --text: #1a2230; --quiet: #5b6878; --grid: #e8ecf1;
  --axis: #a9b4c2; --stripe: #f4f6f9; --phase: #dfe6f0; --other: #eef2f7;
  --colour-0: #2f6fde; --colour-1: #e2762c; --colour-2: #1d9a6c; --colour-3: #8757cf; --colour-4: #d0435a; --colour-5: #c89b13; --colour-6: #8f9bab; --colour-7: #1391a4;
)css";

constexpr const char* kDark = R"css(
  --page: #0f1319; --card: #181e27; --edge: #28313d; --text: #e7ecf3; --quiet: #9aa7b8; --grid: #262f3b;
  --axis: #536173; --stripe: #1e2631; --phase: #2e3a4a; --other: #232c38;
  --colour-0: #6aa0ff; --colour-1: #f5985a; --colour-2: #43c493; --colour-3: #b18df2; --colour-4: #f27188; --colour-5: #e3bf4e; --colour-6: #7d8a9b; --colour-7: #45c1d4;
)css";

constexpr const char* kRules = R"css(
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); line-height: 1.45;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 1160px; margin: 0 auto; padding: 28px 20px 48px; }
header h1 { margin: 0; font-size: 28px; letter-spacing: -0.01em; }
header p { margin: 4px 0 20px; color: var(--quiet); }
h2 { margin: 0; font-size: 16px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 12px; margin-bottom: 16px; }
.tile, .card { background: var(--card); border: 1px solid var(--edge); border-radius: 12px; }
.tile { display: flex; flex-direction: column; padding: 12px 16px; }
.tile .name, .tile .note { color: var(--quiet); font-size: 13px; }
.tile .value { font-size: 23px; font-weight: 650; letter-spacing: -0.01em; font-variant-numeric: tabular-nums; }
.cards { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; }
.card { margin: 0; padding: 16px 18px; min-width: 0; }
.card.whole { grid-column: 1 / -1; }
.card.text { margin-top: 16px; }
figcaption { margin-bottom: 12px; }
figcaption p { margin: 2px 0 0; color: var(--quiet); font-size: 14px; max-width: 100ch; }
svg { display: block; width: 100%; height: auto; overflow: visible; font-size: 12px; }
.middle, .narrow { display: none; }
table { width: 100%; border-collapse: collapse; margin-top: 8px; font-size: 14px; }
th, td { padding: 5px 0; border-top: 1px solid var(--edge); text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 400; padding-right: 16px; white-space: nowrap; }
td { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
pre { margin: 8px 0 0; font-size: 13px; columns: 2 340px; white-space: pre-wrap; overflow-wrap: anywhere;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
text { fill: var(--text); }
.picture { overflow-x: auto; background: #ffffff; border-radius: 6px; }
.picture svg { min-width: 1010px; }
.picture text { fill: #1a2230; }
.tick { fill: var(--quiet); font-variant-numeric: tabular-nums; }
.grid { stroke: var(--grid); }
.axis { stroke: var(--axis); }
.stripe { fill: var(--stripe); }
.no-stripe { fill: transparent; }
.phase { fill: var(--phase); }
.phase.other { fill: var(--other); }
.level { stroke: var(--text); stroke-width: 1.4; stroke-dasharray: 6 4; }
.level-name { font-weight: 600; paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
.faint { opacity: 0.3; stroke-width: 1.2; }
@media (max-width: 1040px) {
  .cards { grid-template-columns: minmax(0, 1fr); }
  .wide { display: none; }
  .middle { display: block; }
}
@media (max-width: 620px) {
  main { padding: 18px 12px 32px; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; }
  .tile { padding: 10px 12px; }
  .tile .value { font-size: 20px; }
  .tile:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .card { padding: 14px 12px; }
  .middle { display: none; }
  .narrow { display: block; }
}
@page { margin: 14mm; }
@media print {
  main { max-width: none; padding: 0; }
  .card, .tile { break-inside: avoid; }
  .card.text { break-inside: auto; }
  .picture svg { min-width: 0; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
)css";

}  // namespace

std::string page_style() {
  std::string style = std::string(":root { color-scheme: light dark;") + kLight + "}\n";
  // Paper is white, whatever the screen was.
  style += std::string("@media screen and (prefers-color-scheme: dark) { :root {") + kDark + "} }\n";
  style += kRules;
  for (char colour = '0'; colour < '8'; ++colour) {
    const std::string number(1, colour), variable = "var(--colour-" + number + ")";
    style += ".fill-" + number + " { fill: " + variable + "; }\n.line-" + number + " { stroke: " + variable + "; }\n";
  }
  return style;
}

}  // namespace phasor::io
