package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"loadgen/results"
)

// Deletion is what became of the runs that were to go.
type Deletion struct {
	// Runs is how many are gone, Bytes what their files had.
	Runs  int
	Bytes int64
	// Left are those of them whose folder is still there, with what is in it that this
	// tool did not write.
	Left []Remains
}

// Remains are the files in the folder of a run that is gone.
type Remains struct {
	Name  string
	Files []string
}

// Delete deletes the runs that go. A run that cannot be deleted holds up no other, and one
// that has been tagged meanwhile stays. What was done is returned beside an error, which
// is the context's, or says of which run it is; that the folder cannot be opened is a
// [Fault], and nothing was done.
func (p *Plan) Delete(ctx context.Context) (*Deletion, error) {
	root, err := os.OpenRoot(p.catalog.Folder)
	if err != nil {
		return nil, &Fault{"folder", fmt.Errorf("the folder %s cannot be opened: %w", Shown(p.catalog.Folder), Reason(err))}
	}
	defer root.Close()
	done := new(Deletion)
	var faults []error
	for _, r := range p.Goes {
		if ctx.Err() != nil {
			faults = append(faults, ctx.Err())
			break
		}
		r.read()
		if why := p.by.protects(r); why != "" {
			p.kept[why]++
			continue
		}
		freed, left, err := p.by.delete(root, r.Name)
		done.Bytes += freed
		if err != nil {
			faults = append(faults, fmt.Errorf("the run %s was deleted in part: %w", Shown(r.Name), err))
			continue
		}
		if len(left) > 0 {
			done.Left = append(done.Left, Remains{r.Name, left})
		}
		done.Runs++
	}
	return done, errors.Join(faults...)
}

// delete deletes the files of a run that may go, then its folder if nothing else is in it,
// and returns how many bytes they had and what is left. Everything happens below the root,
// which no link leads out of. The record itself goes last: where this is cut short, the
// next time finds the rest.
func (p *Pruning) delete(root *os.Root, name string) (freed int64, left []string, err error) {
	info, err := root.Lstat(name)
	if err != nil {
		return 0, nil, err
	}
	if !info.IsDir() {
		return 0, nil, errors.New("it is no folder any more")
	}
	folder, err := root.OpenRoot(name)
	if err != nil {
		return 0, nil, err
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return 0, nil, err
	}
	for _, entry := range recordLast(entries) {
		if !entry.Type().IsRegular() || !p.owns(entry.Name()) {
			left = append(left, entry.Name())
			continue
		}
		if info, err := entry.Info(); err == nil {
			freed += info.Size()
		}
		if err := folder.Remove(entry.Name()); err != nil {
			return freed, left, err
		}
	}
	if len(left) > 0 {
		return freed, left, nil
	}
	return freed, nil, root.Remove(name)
}

// recordLast returns the files of a folder with the record at the end.
func recordLast(entries []fs.DirEntry) []fs.DirEntry {
	at := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == results.RunFile })
	if at < 0 {
		return entries
	}
	return append(slices.Delete(slices.Clone(entries), at, at+1), entries[at])
}
