package left

var f = func() {}
