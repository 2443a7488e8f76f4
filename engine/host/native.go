package host

// targets are what this build can compile to, the best first.
var targets []target
