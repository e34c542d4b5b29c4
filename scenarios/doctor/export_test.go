package doctor

// Watch is watch.
var Watch = watch
