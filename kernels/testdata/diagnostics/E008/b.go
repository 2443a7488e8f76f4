package /* E008 */ other

const one = 1
