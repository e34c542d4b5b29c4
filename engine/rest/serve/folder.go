package serve

import (
	"errors"
	"fmt"
	"slices"

	"loadgen/engine"
	"loadgen/engine/store/durable"
)

// The values of [Options.Durability].
const (
	Sync   = "sync"
	NoSync = "nosync"
)

// folder returns what is wrong with the options about where tables are kept.
func (o *Options) folder() error {
	switch values := []string{Sync, NoSync}; {
	case o.Durability != "" && !slices.Contains(values, o.Durability):
		return Fault{Field: "durability", Value: o.Durability, Known: values, Err: errors.New("expected sync or nosync")}
	case o.Durability != "" && o.DataDir == "":
		return Fault{Field: "durability", Value: o.Durability, Err: errors.New("there is nothing to make durable; expected --data-dir as well")}
	case o.ExportEvery < 0 || o.ExportEvery > 0 && o.ExportEvery < tick:
		return Fault{Field: "export-every", Value: o.ExportEvery.String(), Err: errors.New("expected 1s or more")}
	case o.ExportEvery > 0 && o.Export == "":
		return Fault{Field: "export-every", Value: o.ExportEvery.String(), Err: errors.New("there is no file to write; expected --export as well")}
	}
	return nil
}

// openFolder opens the folder of the tables, where there is one.
func (s *Service) openFolder() (err error) {
	o := &s.options
	if o.DataDir == "" {
		return nil
	}
	s.folder, err = durable.Open(durable.Options{Folder: o.DataDir, Account: s.door.account, Sync: o.Durability != NoSync, FS: o.FS})
	if err != nil {
		return Fault{Field: "data-dir", Value: o.DataDir, Err: err}
	}
	return nil
}

// stores returns the tables that the account begins with.
func (s *Service) stores() map[string]engine.Store {
	if s.folder == nil {
		return nil
	}
	return map[string]engine.Store{s.door.account: s.folder}
}

// Failed is closed once the folder of the tables has failed: what is asked from then on is
// refused, and the service is to be ended. It is nil, and never closed, where tables are
// in memory.
func (s *Service) Failed() <-chan struct{} {
	if s.folder == nil {
		return nil
	}
	return s.folder.Failed()
}

// broken returns what the folder has failed with, nil for nothing.
func (s *Service) broken() error {
	if s.folder == nil {
		return nil
	}
	select {
	case <-s.folder.Failed():
		return fmt.Errorf("serve: data-dir %s: the folder has failed, and is as it was then: %w", s.options.DataDir, s.folder.Err())
	default:
		return nil
	}
}

// entities returns how many the account has.
func (s *Service) entities() (sum int64) {
	for _, t := range s.engine.Tables(s.door.account) {
		sum += t.Entities
	}
	return sum
}

// closeFolder ends the folder, and returns what it has failed with, if it has.
func (s *Service) closeFolder() error {
	if s.folder == nil || s.folderClosed {
		return nil
	}
	s.folderClosed = true
	broken := s.broken()
	if err := s.folder.Close(); err != nil && broken == nil {
		broken = Fault{Field: "data-dir", Value: s.options.DataDir, Err: err}
	}
	return broken
}
