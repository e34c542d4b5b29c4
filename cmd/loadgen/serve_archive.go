package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"loadgen/engine"
	"loadgen/engine/archive"
	"loadgen/engine/entity"
)

// standardInput is the name of it among files.
const standardInput = "-"

// fill puts the archives of the flags into the tables.
func (s *serving) fill(ctx context.Context, stdin io.Reader) error {
	for _, name := range s.flags.imports {
		if _, known := archive.FormatOf(name); name != standardInput && !known {
			return usageError{fmt.Errorf("--import %s: expected a file whose name ends in %s, or - for standard input as JSON lines", name, archive.Extensions)}
		}
	}
	for _, name := range s.flags.imports {
		entities, err := s.fillFrom(ctx, name, stdin)
		if errors.Is(err, context.Canceled) {
			return err
		}
		if err != nil {
			return usageError{fmt.Errorf("--import %s: %w", name, err)}
		}
		s.journal.say("entities imported from %s: %s", name, thousands(entities))
	}
	return nil
}

// fillFrom puts one archive into the tables and returns how many entities it
// held.
func (s *serving) fillFrom(ctx context.Context, name string, stdin io.Reader) (entities int64, err error) {
	from, format := stdin, archive.Lines
	if name != standardInput {
		file, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		defer file.Close()
		from = file
		format, _ = archive.FormatOf(name)
	}
	table := ""
	err = archive.Read(format, from, func(r *archive.Record) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.Table != table {
			if code, detail := s.engine.LoadTable(s.clock.Now(), s.door.account, r.Table); code != entity.OK {
				return errors.New(detail)
			}
			table = r.Table
		}
		if !r.HasEntity {
			return nil
		}
		entities++
		insert := entity.Change{Verb: entity.Insert, Key: r.Key, Properties: r.Properties}
		code, detail := s.engine.Load(s.clock.Now(), s.door.account, r.Table, &insert)
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

// export is the archive that the tables are saved in at the end. Until it is
// whole it has another name, so that a file of before is never half overwritten.
// A nil export saves nothing.
type export struct {
	name   string
	format archive.Format
	file   *os.File
}

// newExport checks what --export names.
func (f *serveFlags) newExport() (*export, error) {
	if f.export == "" {
		return nil, nil
	}
	format, known := archive.FormatOf(f.export)
	if !known {
		return nil, usageError{fmt.Errorf("--export %s: expected a file whose name ends in %s", f.export, archive.Extensions)}
	}
	name := f.export
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, usageError{fmt.Errorf("--export: %w", err)}
	case !info.Mode().IsRegular():
		return nil, usageError{fmt.Errorf("--export %s: expected a file, or nothing of that name", name)}
	default:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, usageError{fmt.Errorf("--export: %w", err)}
		}
	}
	return &export{name: name, format: format}, nil
}

// partialSuffix ends the name of an archive that is not whole yet.
const partialSuffix = ".partial"

// begin proves that the archive can be written.
func (x *export) begin() error {
	if x == nil {
		return nil
	}
	file, err := os.Create(x.name + partialSuffix)
	if err != nil {
		return usageError{fmt.Errorf("--export: %w", err)}
	}
	x.file = file
	return nil
}

// save writes every table and gives the archive its name.
func (s *serving) save() error {
	x := s.export
	if x == nil {
		return nil
	}
	stock := stock{engine: s.engine, account: s.door.account}
	err := archive.Write(x.format, x.file, stock.records)
	if err = errors.Join(err, stock.err); err == nil {
		err = x.file.Sync()
	}
	if err = errors.Join(err, x.file.Close()); err == nil {
		err = os.Rename(x.file.Name(), x.name)
	}
	if err != nil {
		return fmt.Errorf("--export %s: %w", s.flags.export, err)
	}
	x.file = nil
	s.journal.say("all tables are in %s", s.flags.export)
	return nil
}

// discard takes back what begin made, unless it was saved.
func (x *export) discard() {
	if x == nil || x.file == nil {
		return
	}
	_ = x.file.Close()
	_ = os.Remove(x.file.Name())
}

// stock goes over all that an account holds.
type stock struct {
	engine  *engine.Engine
	account string
	err     error
}

// records yields every entity, and every table that has none.
func (s *stock) records(yield func(*archive.Record) bool) {
	for _, table := range s.engine.Tables(s.account) {
		if !s.table(table.Name, yield) {
			return
		}
	}
}

func (s *stock) table(name string, yield func(*archive.Record) bool) bool {
	record := archive.Record{Table: name}
	for key, packed := range s.engine.Entities(s.account, name) {
		properties, err := packed.Unpack(record.Properties[:0])
		if err != nil {
			s.err = err
			return false
		}
		record.HasEntity, record.Key, record.Properties = true, key, properties
		if !yield(&record) {
			return false
		}
	}
	return record.HasEntity || yield(&record)
}
