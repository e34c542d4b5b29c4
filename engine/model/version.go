package model

// Version numbers the model. It is raised with each change of what a profile assumes: a
// parameter more or less, another value, unit or bound of one. Figures that two versions
// modelled are not to be compared.
const Version = 1
