package house_test

import (
	"slices"
	"strings"
	"testing"
)

// licences are those under which other people's code and fonts may be linked: all let the
// program be used, changed and passed on for a note of whose work it is. Each is known by
// words of its text, in small letters with single blanks.
//
// A text that is none of them, or that is of a kind under refused, is a fault: whoever adds
// such a module decides here. MPL-2.0, which asks for the source of changed files, is not
// among them since nothing that is linked needs it.
var licences = []struct {
	name  string
	words []string
}{
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy of this software", "the software is provided \"as is\""}},
	{"BSD", []string{"redistribution and use in source and binary forms, with or without modification, are permitted"}},
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"}},
	{"OFL-1.1", []string{"sil open font license", "version 1.1"}},
	{"CC-BY-4.0", []string{"creative commons attribution 4.0 international public license"}},
	{freeType, []string{"subject to your choice of exactly one of the following two licenses", "the freetype license"}},
}

// freeType leaves the choice between its own licence and the GPL; ours is the former.
const freeType = "FTL"

// refused are words of licences that ask for more than a note.
var refused = []string{"gnu general public license", "gnu lesser general public license", "gnu affero", "server side public license",
	"business source license", "commons clause", "elastic license", "mozilla public license", "eclipse public license", "noncommercial", "non-commercial"}

// licencesOf returns the names of the licences that a text is made of, and why it will not
// do, empty where it will.
func licencesOf(text string) (names []string, fault string) {
	text = strings.NewReplacer("“", `"`, "”", `"`, "> ", " ", "``", `"`, "''", `"`).Replace(strings.ToLower(text))
	text = strings.Join(strings.Fields(text), " ")
	for _, one := range licences {
		if !slices.ContainsFunc(one.words, func(words string) bool { return !strings.Contains(text, words) }) {
			names = append(names, one.name)
		}
	}
	if len(names) == 0 {
		return nil, "no licence that is known"
	}
	if !slices.Contains(names, freeType) {
		for _, words := range refused {
			if strings.Contains(text, words) {
				return nil, "it speaks of the " + words
			}
		}
	}
	return names, ""
}

// isLicence reports whether a file of a module is one that says under which licence it is.
func isLicence(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "licen") || strings.HasPrefix(name, "copying") || strings.HasPrefix(name, "unlicense")
}

// What is a licence, what is none, and what asks for too much.
func TestLicencesAreKnown(t *testing.T) {
	const (
		mit = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\nof this software …\n\nTHE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT"
		bsd = "Redistribution and use in source and binary forms, with or without\n modification, are permitted provided"
	)
	for _, row := range []struct {
		name, text string
		want       string
		fault      string
	}{
		{"MIT over several lines", mit, "MIT", ""},
		{"BSD with a margin", "> Redistribution and use in source and binary forms, with or\n> without modification, are\n> permitted", "BSD", ""},
		{"two at once", mit + "\n#### Apache License ####\nApache License Version 2.0", "MIT Apache-2.0", ""},
		{"nothing", "", "", "no licence that is known"},
		{"all rights reserved", "Copyright 2026. All rights reserved.", "", "no licence that is known"},
		{"MIT without its disclaimer", mit[:100], "", "no licence that is known"},
		{"the GPL", "GNU GENERAL PUBLIC LICENSE\nVersion 3", "", "no licence that is known"},
		{"MIT, and the GPL for a part", mit + "\nThe folder x is under the GNU\nGeneral Public License.", "", "it speaks of the gnu general public license"},
		{"BSD with the Commons Clause", bsd + "\n\"Commons Clause\" License Condition v1.0", "", "it speaks of the commons clause"},
		{"a choice with the GPL", "Use is subject to\nyour choice of exactly one of the following two licenses:\n* The FreeType License\n* The GNU General Public License (GPL)", "FTL", ""},
	} {
		names, fault := licencesOf(row.text)
		if got := strings.Join(names, " "); got != row.want || fault != row.fault {
			t.Errorf("%s: licencesOf(%.40q) = %q, %q; want %q, %q", row.name, row.text, got, fault, row.want, row.fault)
		}
	}
}
