#!/usr/bin/env bash
# From a clone to a trained model: sets up, builds, makes the sample data, trains, evaluates. Then trains the same model
# on the same contexts with the questions taken away, to show that the first one reads them.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh

run() {  # NAME [train option...]: trains on build/demo/NAME and prints the last line of the evaluation
  local name=$1
  shift
  local data=build/demo/$name
  build/phasor train squad-sample --data.train "$data/train.json" --data.vocab "$data/vocab.txt" \
    --output "runs/$name" "$@"
  build/phasor eval "runs/$name" --data.dev "$data/dev.json" --json | tee "build/demo/$name.txt"
}
exact_match() {  # NAME: a whole number
  tail -n 1 "build/demo/$1.txt" | sed 's/.*"exact_match":\([0-9]*\).*/\1/'
}

scripts/make_sample_data.py --output build/demo/sample
scripts/make_sample_data.py --output build/demo/blind --blind
run sample
run blind --training.steps 1000

echo "exact match: $(exact_match sample) with the questions, $(exact_match blind) without them"
[ "$(exact_match sample)" -ge 80 ] && [ "$(exact_match blind)" -lt 25 ]
