// Package catalog lists, finds, tags and deletes stored runs.
//
// A run is a folder with a run.json, a contest of designs one with a contest.json. [Open] reads a folder of them into a
// [Catalog]. [Catalog.Select] filters it; [Catalog.Plan] decides which runs to delete, and [Plan.Delete] deletes them.
// [Find] returns the run that a user means by a path, a name, the beginning of a name, or [Latest]. [ChangeTags] sets the
// tags of a run, which protect it from being deleted. [Read] and [Reader] read the records themselves.
//
// Callers pass the time, and the names of files besides a record's own that may be deleted. Errors about arguments are a
// [Fault], one line that names the nearest valid value.
//
// The package changes no record, follows no link where it deletes, and deletes only files of known names.
package catalog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"loadgen/engine/nearest"
	"loadgen/results"
)

// Catalog is the content of a folder of runs. It belongs to one goroutine.
type Catalog struct {
	Folder string
	// Runs are those directly below it, in descending order of their start, then of their name.
	Runs []Run
	// Links are not followed; Others are folders without a run or a contest of their own.
	Links, Others int
}

// Open reads the heads and the tags of all runs and contests of a folder concurrently. Its error is a [Fault] of the
// folder, or the context's.
func Open(ctx context.Context, folder string) (*Catalog, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, unreadable(folder, err)
	}
	c := &Catalog{Folder: folder}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			c.Links++
		case !entry.IsDir():
		case isFile(filepath.Join(path, results.RunFile)), isFile(filepath.Join(path, ContestFile)):
			c.Runs = append(c.Runs, Run{Name: entry.Name(), Folder: path})
		default:
			c.Others++
		}
	}
	err = concurrently(ctx, len(c.Runs), func(i int) { c.Runs[i].read() })
	slices.SortFunc(c.Runs, func(a, b Run) int {
		return cmp.Or(b.Begun.Compare(a.Begun), strings.Compare(b.Name, a.Name))
	})
	return c, err
}

// concurrently calls with each number below n, and waits for all calls. Once the context is done it returns its error and calls no
// more.
func concurrently(ctx context.Context, n int, call func(i int)) error {
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var callers sync.WaitGroup
	for i := range n {
		room <- struct{}{}
		callers.Go(func() {
			defer func() { <-room }()
			if ctx.Err() == nil {
				call(i)
			}
		})
	}
	callers.Wait()
	return ctx.Err()
}

// isFile reports whether a path is a regular file, and no link.
func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// Selection filters runs. The zero value selects all.
type Selection struct {
	// Scenario is the name of their scenario, empty for any.
	Scenario string
	// Tags are those that each run must have.
	Tags []string `flag:"tag"`
	// Since is the earliest start.
	Since time.Time
}

// Select returns the selected runs in their order, unreadable ones included. Its error is a [Fault]: no run has the
// scenario or the tag.
func (c *Catalog) Select(s Selection) ([]*Run, error) {
	if err := c.hasScenario(s.Scenario); err != nil {
		return nil, err
	}
	var known []string
	for i := range c.Runs {
		known = append(known, c.Runs[i].Tags...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, tag := range s.Tags {
		if !slices.Contains(known, tag) {
			return nil, &Fault{"tags", fmt.Errorf("no run in %s has it: %s", Quote(c.Folder), nearest.Unknown("tag", tag, known))}
		}
	}
	var chosen []*Run
	for i := range c.Runs {
		r := &c.Runs[i]
		lacks := func(tag string) bool { return !slices.Contains(r.Tags, tag) }
		if !r.Begun.Before(s.Since) && (s.Scenario == "" || r.Scenario() == s.Scenario) && !slices.ContainsFunc(s.Tags, lacks) {
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}

// hasScenario returns a fault unless there is a run of a scenario; empty means all.
func (c *Catalog) hasScenario(name string) error {
	var known []string
	for i := range c.Runs {
		known = append(known, c.Runs[i].Scenario())
	}
	return checkScenario("scenario", Quote(c.Folder), name, known)
}

// checkScenario returns a fault of a field unless a scenario is known or empty.
func checkScenario(field, folder, name string, known []string) error {
	if name == "" || slices.Contains(known, name) {
		return nil
	}
	known = slices.DeleteFunc(slices.Clone(known), func(name string) bool { return name == "" || Quote(name) != name })
	slices.Sort(known)
	return &Fault{field, fmt.Errorf("no run in %s: %s", folder, nearest.Unknown("scenario", name, slices.Compact(known)))}
}

// OtherContents returns the numbers of other folders and links in words, empty for none.
func (c *Catalog) OtherContents() string {
	var parts []string
	for _, of := range []struct {
		n         int
		one, many string
	}{{c.Others, "other folder", "other folders"}, {c.Links, "link", "links"}} {
		if of.n == 1 {
			of.many = of.one
		}
		if of.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.many))
		}
	}
	return strings.Join(parts, ", ")
}

var (
	// ErrAge is wrapped if a text is no age.
	ErrAge = errors.New("no age; expected one such as 30d, 2w or 12h")
	// ErrTags is wrapped if a file of tags is invalid.
	ErrTags = errors.New("tags.json has no tags of a run")
)

// Fault is an error about an argument.
type Fault struct {
	// Field is the argument, or the field of the options.
	Field string
	// Err says in one line what is wrong and what was expected.
	Err error
}

// Error returns the field and the error.
func (f *Fault) Error() string { return f.Field + ": " + f.Err.Error() }

// Unwrap returns the error.
func (f *Fault) Unwrap() error { return f.Err }

// Reason returns an error of a file without its path.
func Reason(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

func unreadable(folder string, err error) error {
	return &Fault{"folder", fmt.Errorf("the folder %s cannot be read: %w; expected one of runs", Quote(folder), Reason(err))}
}

// Run is a folder that holds a run.json, or a contest.
type Run struct {
	// Name is that of the folder within the catalog's, Folder its path.
	Name, Folder string
	// Head is that of a run's record, Contest the result of a contest. Both are nil if they cannot be read because of Fault.
	Head    *results.Head
	Contest *Contest
	Fault   error
	// Begun is the start of the run by its record, else by the folder's name, else the time of the last write.
	Begun time.Time
	// Written is the time of the last write to a file of the record.
	Written time.Time
	// Tags are sorted.
	Tags []string
	// TagFault is why tags cannot be read.
	TagFault error
}

// folderTime is how [results.MakeDir] begins the name of a folder.
const folderTime = "20060102T150405Z"

func (r *Run) read() {
	folder := results.Dir(r.Folder)
	if IsContest(r.Folder) {
		text, err := readUpTo(folder, ContestFile, maxContest)
		if err == nil {
			r.Contest, err = parseContest(text)
		}
		r.Fault = err
	} else {
		r.Head, r.Fault = results.ReadHead(folder)
	}
	r.Tags, r.TagFault = ReadTags(folder)
	r.Fault, r.TagFault = Reason(r.Fault), Reason(r.TagFault)
	for _, name := range append(recordFiles(), ContestFile) {
		if info, err := os.Lstat(filepath.Join(r.Folder, name)); err == nil && info.ModTime().After(r.Written) {
			r.Written = info.ModTime()
		}
	}
	r.Begun = r.Written.UTC()
	if r.Head != nil {
		r.Begun = r.Head.Manifest.Started.UTC()
	} else if begun, err := time.Parse(folderTime, r.Name[:min(len(r.Name), len(folderTime))]); err == nil {
		r.Begun = begun
	}
}

func recordFiles() []string {
	return []string{results.RunFile, results.IntervalsFile, results.EventsFile}
}

// Scenario returns the name of the run's scenario, empty if it is unknown.
func (r *Run) Scenario() string {
	switch {
	case r.Head != nil:
		return r.Head.Manifest.Scenario.Name
	case r.Contest != nil:
		return r.Contest.Scenario
	default:
		return ""
	}
}

// Served returns the maximum of the entities per second that a reported phase served, nil if it is unknown.
func Served(s *results.Summary) *float64 {
	var most *float64
	for _, phase := range s.Phases {
		// If nothing was offered the run ended before the settled part of the phase.
		if phase.Offered+phase.Served > 0 && (most == nil || phase.Served > *most) {
			most = &phase.Served
		}
	}
	return most
}

// ContestFile is the file of a contest of designs, whose folder has no run.json.
const ContestFile = "contest.json"

// maxContest is the maximum size of the file in bytes.
const maxContest = 16 << 20

// Contest is the result of a contest of designs that a list of runs shows.
type Contest struct {
	Verdict string `json:"verdict"`
	// Winner is the design that won, nil if none is the best; State is that of its checks.
	Winner   *string `json:"winner"`
	State    string  `json:"state"`
	Scenario string  `json:"scenario"`
	Target   string  `json:"target"`
}

// errContest is wrapped if a file has no contest.
var errContest = errors.New("contest.json holds no contest")

// IsContest reports whether a folder is that of a contest, and not of a run.
func IsContest(folder string) bool {
	return !holdsRun(folder) && isFile(filepath.Join(folder, ContestFile))
}

// parseContest reads the result of a contest for a list.
func parseContest(text []byte) (*Contest, error) {
	c := new(Contest)
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%w: %s", errContest, results.OneLine(err))
	}
	if c.Verdict == "" {
		return nil, errContest
	}
	return c, nil
}

// holdsAny reports whether a folder is that of a run or a contest.
func holdsAny(folder string) bool { return holdsRun(folder) || IsContest(folder) }

// TagsFile is the file of tags next to a record, which is never changed.
const TagsFile = "tags.json"

// The bounds of tags.
const (
	maxTagLength = 40
	maxTags      = 20
	// maxTagsSize is the maximum size of the file in bytes.
	maxTagsSize = 1 << 16
)

// tagsForm is the JSON of the file.
type tagsForm struct {
	Tags []string `json:"tags"`
}

// ReadTags returns the sorted tags of a run, none if the file is missing. Its error wraps [ErrTags], or is that of
// reading.
func ReadTags(folder results.Folder) ([]string, error) {
	text, err := readUpTo(folder, TagsFile, maxTagsSize+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseTags(text)
}

// readUpTo reads a file up to a size.
func readUpTo(folder results.Folder, name string, size int64) ([]byte, error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, size))
}

func parseTags(text []byte) ([]string, error) {
	var form tagsForm
	if len(text) > maxTagsSize {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrTags, maxTagsSize)
	}
	// A misspelt "tag" must not leave the run unprotected.
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&form); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTags, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows them", ErrTags)
	}
	if len(form.Tags) > maxTags {
		return nil, fmt.Errorf("%w: it has %d, more than %d", ErrTags, len(form.Tags), maxTags)
	}
	for _, tag := range form.Tags {
		if fault := faultOfTag(tag); fault != "" {
			return nil, fmt.Errorf("%w: the tag %.*q %s", ErrTags, 2*maxTagLength, tag, fault)
		}
	}
	slices.Sort(form.Tags)
	return slices.Compact(form.Tags), nil
}

// CheckTag returns a [Fault] unless a text is a valid tag: up to 40 bytes of letters, digits, - _ and . that do not begin
// with - or a full stop.
func CheckTag(tag string) error {
	if fault := faultOfTag(tag); fault != "" {
		return &Fault{"names", fmt.Errorf("the tag %q %s; expected letters, digits and - _ . such as keep", Cell(tag, 2*maxTagLength), fault)}
	}
	return nil
}

// faultOfTag returns why a text is no tag, empty if it is one.
func faultOfTag(tag string) string {
	switch {
	case tag == "":
		return "is empty"
	case len(tag) > maxTagLength:
		return fmt.Sprintf("is longer than %d bytes", maxTagLength)
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

// ChangeTags adds tags to the run in a folder or removes them, all or none, and returns the sorted tags. Its error is a
// [Fault], or wraps [results.ErrWrite].
func ChangeTags(folder string, names []string, remove bool) ([]string, error) {
	tags, err := ReadTags(results.Dir(folder))
	switch {
	case errors.Is(err, ErrTags):
		return nil, &Fault{"folder", fmt.Errorf("the tags of %s cannot be read: %w; delete its %s to start over", Quote(folder), err, TagsFile)}
	case err != nil:
		return nil, &Fault{"folder", fmt.Errorf("the tags of %s cannot be read: %w", Quote(folder), Reason(err))}
	}
	changed := slices.Clone(tags)
	for _, name := range names {
		switch fault := CheckTag(name); {
		case fault != nil:
			return nil, fault
		case remove && !slices.Contains(tags, name):
			return nil, &Fault{"names", fmt.Errorf("%s: it has no such tag: %s", Quote(folder), nearest.Unknown("tag", name, tags))}
		case remove:
			changed = slices.DeleteFunc(changed, func(tag string) bool { return tag == name })
		case !slices.Contains(changed, name):
			changed = append(changed, name)
		}
	}
	if len(changed) > maxTags {
		return nil, &Fault{"names", fmt.Errorf("%s: %d tags are more than %d; expected fewer", Quote(folder), len(changed), maxTags)}
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
