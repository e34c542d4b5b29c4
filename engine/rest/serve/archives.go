package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"loadgen/engine/entity"
)

// standardInput is the name of Options.Input among files.
const standardInput = "-"

// fill puts the archives of the options into the tables.
func (s *Service) fill(ctx context.Context) error {
	for _, name := range s.options.Imports {
		entities, err := s.fillFrom(ctx, name)
		if errors.Is(err, context.Canceled) {
			return err
		}
		if err != nil {
			return Fault{Field: "import", Value: name, Err: err}
		}
		s.logf("entities imported from %s: %s", name, grouped(entities))
	}
	return nil
}

// fillFrom puts one archive into the tables and returns how many entities it
// held.
func (s *Service) fillFrom(ctx context.Context, name string) (entities int64, err error) {
	from, format := s.options.Input, ArchiveLines
	if name != standardInput {
		file, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		defer file.Close()
		from = file
		format, _ = ArchiveFormatOf(name)
	}
	table := ""
	err = ReadArchive(format, from, strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)), func(r *ArchiveRecord) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.Table != table {
			if code, detail := s.engine.LoadTable(s.options.Clock.Now(), s.door.account, r.Table); code != entity.OK {
				return errors.New(detail)
			}
			table = r.Table
		}
		if !r.HasEntity {
			return nil
		}
		entities++
		insert := entity.Change{Verb: entity.Insert, Key: r.Key, Properties: r.Properties}
		code, detail := s.engine.Load(s.options.Clock.Now(), s.door.account, r.Table, &insert)
		switch code {
		case entity.OK:
			return nil
		case entity.EntityAlreadyExists:
			return fmt.Errorf("the table %s has the PartitionKey %.60q and RowKey %.60q already; expected each entity once", r.Table, r.Key.Partition, r.Key.Row)
		default:
			return errors.New(detail)
		}
	})
	return entities, err
}

// export is the archive of the tables, written at the end and at intervals. Until it is complete it has another name,
// so that an older file is never half overwritten. Without a name it does nothing.
type export struct {
	name string
	file *os.File
	// under says that it is being written while the service goes on, saved that it was at
	// the end.
	under atomic.Bool
	saved bool
}

// look returns what keeps the archive from taking the place of what has its name,
// and follows a link to there.
func (x *export) look() error {
	if x.name == "" {
		return nil
	}
	info, err := os.Stat(x.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return Fault{Field: "export", Value: x.name, Err: errors.New("expected a file, or nothing of that name")}
	}
	if err == nil {
		x.name, err = filepath.EvalSymlinks(x.name)
	}
	if err != nil {
		return Fault{Field: "export", Err: err}
	}
	return nil
}

// partialSuffix ends the name of an archive that is not whole yet.
const partialSuffix = ".partial"

// begin proves that the archive can be written.
func (x *export) begin() (err error) {
	if x.name == "" {
		return nil
	}
	if x.file, err = os.Create(x.name + partialSuffix); err != nil {
		return Fault{Field: "export", Err: err}
	}
	return nil
}

// Save ends the log, writes all tables into a partial archive and renames it to Options.Export. It does nothing
// without one, or if the tables can no longer be read: an older file is worth more. Its error is a [Fault], or two
// joined.
func (s *Service) Save() error {
	logged := s.log.file != nil
	ended := s.log.end()
	if logged && ended == nil {
		s.logf("the log is %s", s.options.Log)
	}
	x := &s.export
	if x.name == "" || x.saved {
		return errors.Join(ended)
	}
	if x.file == nil {
		if err := x.begin(); err != nil {
			return errors.Join(ended, err)
		}
	}
	format, _ := ArchiveFormatOf(s.options.Export)
	if err := s.write(format); err != nil || s.broken() != nil {
		return errors.Join(ended, err)
	}
	x.saved = true
	s.logf("all tables are in %s", s.options.Export)
	if format == ArchiveCSV {
		s.logf("%s is exact and unsafe in spreadsheets, which run values that begin with =, +, - or @ as formulas", s.options.Export)
	}
	return errors.Join(ended)
}

// write writes every entity into the archive, and every table that has none, until one is
// broken, and gives it its name.
func (s *Service) write(format ArchiveFormat) error {
	x := &s.export
	var broken error
	err := WriteArchive(format, x.file, func(yield func(*ArchiveRecord) bool) {
		for _, table := range s.engine.Tables(s.door.account) {
			record := ArchiveRecord{Table: table.Name}
			for key, packed := range s.engine.Entities(s.door.account, table.Name) {
				if record.Properties, broken = packed.Unpack(record.Properties[:0]); broken != nil {
					return
				}
				if record.HasEntity, record.Key = true, key; !yield(&record) {
					return
				}
			}
			if !record.HasEntity && !yield(&record) {
				return
			}
		}
	})
	if err = errors.Join(err, broken); err == nil {
		err = x.file.Sync()
	}
	if s.broken() != nil {
		return nil
	}
	if err = errors.Join(err, x.file.Close()); err == nil {
		err = os.Rename(x.file.Name(), x.name)
	}
	if err != nil {
		return Fault{Field: "export", Value: s.options.Export, Err: err}
	}
	x.file = nil
	return nil
}

// saveMeanwhile writes the archive while the service goes on, unless it is still at it:
// an entity that is written meanwhile may or may not be in it. The journal has its error,
// and the next one is tried.
func (s *Service) saveMeanwhile() {
	x := &s.export
	if !x.under.CompareAndSwap(false, true) {
		return
	}
	s.watching.Go(func() {
		defer x.under.Store(false)
		format, _ := ArchiveFormatOf(s.options.Export)
		err := s.write(format)
		if err != nil {
			x.discard()
		}
		if err = errors.Join(err, x.begin()); err != nil {
			s.logf("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	})
}

// discard takes back what begin made, unless it was saved.
func (x *export) discard() {
	if x.file != nil {
		_ = x.file.Close()
		_ = os.Remove(x.file.Name())
		x.file = nil
	}
}
