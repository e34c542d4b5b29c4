package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"unicode"

	"loadgen/engine/nearest"
	"loadgen/results"
)

// TagsFile lies beside a record, which is never altered, and holds what people call it.
const TagsFile = "tags.json"

// The bounds of tags.
const (
	longestTag = 40
	mostTags   = 20
	// longestTags bounds what is read of the file.
	longestTags = 1 << 16
)

// tagsForm is the form on disk.
type tagsForm struct {
	Tags []string `json:"tags"`
}

// ReadTags returns the tags of a run, in order, none where the file is missing. Its error
// wraps [ErrTags], or is that of reading.
func ReadTags(folder results.Folder) ([]string, error) {
	file, err := folder.Open(TagsFile)
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

func parseTags(text []byte) ([]string, error) {
	var form tagsForm
	if len(text) > longestTags {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrTags, longestTags)
	}
	// Whoever wrote "tag" for "tags" by hand meant the run to be kept.
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&form); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTags, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows them", ErrTags)
	}
	if len(form.Tags) > mostTags {
		return nil, fmt.Errorf("%w: it has %d, more than %d", ErrTags, len(form.Tags), mostTags)
	}
	for _, tag := range form.Tags {
		if fault := faultOfTag(tag); fault != "" {
			return nil, fmt.Errorf("%w: the tag %.*q %s", ErrTags, 2*longestTag, tag, fault)
		}
	}
	slices.Sort(form.Tags)
	return slices.Compact(form.Tags), nil
}

// CheckTag returns a [Fault] unless a text can be a tag: letters, digits and - _ . of
// which it does not begin with - or a full stop, of at most 40 bytes.
func CheckTag(tag string) error {
	if fault := faultOfTag(tag); fault != "" {
		return &Fault{"names", fmt.Errorf("the tag %q %s; expected letters, digits and - _ . such as keep", Cell(tag, 2*longestTag), fault)}
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
			return "has characters other than letters, digits and - _ ."
		}
	}
	return ""
}

// ChangeTags gives the run in a folder tags or takes them away, all or none of them, and
// returns those that it has then, in order. Its error is a [Fault], or wraps
// [results.ErrWrite].
func ChangeTags(folder string, names []string, remove bool) ([]string, error) {
	tags, err := ReadTags(results.Dir(folder))
	switch {
	case errors.Is(err, ErrTags):
		return nil, &Fault{"folder", fmt.Errorf("the tags of %s cannot be read: %w; delete its %s to start over", Shown(folder), err, TagsFile)}
	case err != nil:
		return nil, &Fault{"folder", fmt.Errorf("the tags of %s cannot be read: %w", Shown(folder), Reason(err))}
	}
	changed := slices.Clone(tags)
	for _, name := range names {
		switch fault := CheckTag(name); {
		case fault != nil:
			return nil, fault
		case remove && !slices.Contains(tags, name):
			return nil, &Fault{"names", fmt.Errorf("%s: it has no such tag: %s", Shown(folder), nearest.Unknown("tag", name, tags))}
		case remove:
			changed = slices.DeleteFunc(changed, func(tag string) bool { return tag == name })
		case !slices.Contains(changed, name):
			changed = append(changed, name)
		}
	}
	if len(changed) > mostTags {
		return nil, &Fault{"names", fmt.Errorf("%s: %d tags are more than %d; expected fewer", Shown(folder), len(changed), mostTags)}
	}
	slices.Sort(changed)
	if slices.Equal(tags, changed) {
		return tags, nil
	}
	text, err := json.MarshalIndent(tagsForm{append([]string{}, changed...)}, "", " ")
	if err == nil {
		err = results.Dir(folder).Replace(TagsFile, append(text, '\n'))
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", results.ErrWrite, err)
	}
	return changed, err
}
