package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"unicode"

	"loadgen/results"
)

// tagsFile lies beside a record, which is never altered, and holds what people call it.
const tagsFile = "tags.json"

// The bounds of tags.
const (
	longestTag = 40
	mostTags   = 20
	// longestTags bounds what is read of the file.
	longestTags = 1 << 16
)

// errTags is wrapped where a file of tags is none.
var errTags = errors.New("tags.json does not hold the tags of a run")

// tagsForm is the form on disk.
type tagsForm struct {
	Tags []string `json:"tags"`
}

// readTags returns the tags of a run, in order, none where the file is missing. Its error
// wraps [errTags], or is that of reading.
func readTags(folder results.Folder) ([]string, error) {
	file, err := folder.Open(tagsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, longestTags+1))
	if err != nil {
		return nil, err
	}
	return parseTags(text)
}

// parseTags reads the text of a file of tags.
func parseTags(text []byte) ([]string, error) {
	var form tagsForm
	if len(text) > longestTags {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", errTags, longestTags)
	}
	// Whoever wrote "tag" for "tags" by hand meant the run to be kept.
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&form); err != nil {
		return nil, fmt.Errorf("%w: %w", errTags, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows them", errTags)
	}
	if len(form.Tags) > mostTags {
		return nil, fmt.Errorf("%w: it has %d, more than %d", errTags, len(form.Tags), mostTags)
	}
	for _, tag := range form.Tags {
		if fault := faultOfTag(tag); fault != "" {
			return nil, fmt.Errorf("%w: the tag %.*q %s", errTags, 2*longestTag, tag, fault)
		}
	}
	slices.Sort(form.Tags)
	return slices.Compact(form.Tags), nil
}

// writeTags replaces the tags of a run in one step. Its error wraps [results.ErrWrite].
func writeTags(folder results.Folder, tags []string) error {
	text, err := json.MarshalIndent(tagsForm{append([]string{}, tags...)}, "", " ")
	if err == nil {
		err = folder.Replace(tagsFile, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", results.ErrWrite, err)
	}
	return nil
}

// faultOfTag says why a text is no tag, empty where it is one.
func faultOfTag(tag string) string {
	switch {
	case tag == "":
		return "is empty"
	case len(tag) > longestTag:
		return fmt.Sprintf("is longer than %d bytes", longestTag)
	case tag[0] == '-' || tag[0] == '.':
		return "begins with " + tag[:1]
	}
	for _, c := range tag {
		if c == unicode.ReplacementChar || !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_' && c != '.' {
			return "holds something else than letters, digits and - _ ."
		}
	}
	return ""
}
