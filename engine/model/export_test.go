package model

// Renamed are pairs of a former name of a parameter and its name now.
var Renamed = renamed
