package figure

// RenamedMetrics are pairs of a former name of a figure and its name now.
var RenamedMetrics = renamed
