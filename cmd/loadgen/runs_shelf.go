package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"loadgen/results"
	"loadgen/scenarios/keys"
)

// shelf is what a folder of runs holds.
type shelf struct {
	folder string
	// runs are those directly below it, the one that was begun last first, those of one
	// instant by name, the last first.
	runs []shelfRun
	// links are not followed, contests and others are folders without a run of their own.
	links, contests, others int
}

// shelfRun is a folder that holds a run.json.
type shelfRun struct {
	// name is that of the folder within the shelf's, folder the path to it.
	name, folder string
	// head is nil where the record cannot be read, which is why fault is there.
	head  *results.Head
	fault error
	// begun is when the run was begun: by its record, else by the folder's name, else
	// when the record was written.
	begun time.Time
	// written is when anything of the record was last written.
	written time.Time
	tags    []string
	// tagFault says that there are tags and that they cannot be read.
	tagFault error
}

// readShelf reads the heads and the tags of all runs of a folder. Its error is a
// usageError, for who named the folder, or the context's.
func readShelf(ctx context.Context, folder string) (*shelf, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, usageError{fmt.Errorf("the folder %s cannot be read: %w; expected one of runs", shownName(folder), reason(err))}
	}
	s := &shelf{folder: folder}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			s.links++
		case !entry.IsDir():
		case isFile(filepath.Join(path, results.RunFile)):
			s.runs = append(s.runs, shelfRun{name: entry.Name(), folder: path})
		case isFile(filepath.Join(path, contestFile)):
			s.contests++
		default:
			s.others++
		}
	}
	// Opening so many files takes longer than what is read of them.
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var readers sync.WaitGroup
	for i := range s.runs {
		room <- struct{}{}
		readers.Go(func() {
			defer func() { <-room }()
			if ctx.Err() == nil {
				s.runs[i].read()
			}
		})
	}
	readers.Wait()
	slices.SortFunc(s.runs, func(a, b shelfRun) int {
		return cmp.Or(b.begun.Compare(a.begun), strings.Compare(b.name, a.name))
	})
	return s, ctx.Err()
}

// contestFile is what a folder of a contest holds in the place of a run.json.
const contestFile = "contest.json"

// isFile reports whether a path leads to a file, not by a link.
func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// read reads what is listed of the run.
func (k *shelfRun) read() {
	k.head, k.fault = results.ReadHead(results.Dir(k.folder))
	k.tags, k.tagFault = readTags(results.Dir(k.folder))
	for _, name := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		if info, err := os.Lstat(filepath.Join(k.folder, name)); err == nil && info.ModTime().After(k.written) {
			k.written = info.ModTime()
		}
	}
	k.begun = k.beganAt()
}

// folderTime is how [results.MakeDir] begins the name of a folder.
const folderTime = "20060102T150405Z"

func (k *shelfRun) beganAt() time.Time {
	if k.head != nil {
		return k.head.Manifest.Started.UTC()
	}
	if begun, err := time.Parse(folderTime, k.name[:min(len(k.name), len(folderTime))]); err == nil {
		return begun
	}
	return k.written.UTC()
}

// scenario returns the name of the run's scenario, empty where it is not known.
func (k *shelfRun) scenario() string {
	if k.head == nil {
		return ""
	}
	return k.head.Manifest.Scenario.Name
}

// hasScenario returns the fault of a name of which there is no run; empty stands for all.
func (s *shelf) hasScenario(name string) error {
	if name == "" {
		return nil
	}
	var known []string
	for i := range s.runs {
		if of := s.runs[i].scenario(); of == name {
			return nil
		} else if of != "" && !strings.ContainsFunc(of, unprintable) {
			known = append(known, of)
		}
	}
	slices.Sort(known)
	return usageError{fmt.Errorf("--scenario: no run of it in %s: %s", shownName(s.folder), keys.Unknown("scenario", name, slices.Compact(known)))}
}

// allTags returns the tags that any run has, in order.
func (s *shelf) allTags() []string {
	var all []string
	for i := range s.runs {
		all = append(all, s.runs[i].tags...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
