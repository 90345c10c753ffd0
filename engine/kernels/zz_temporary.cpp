namespace phasor {}
