package serve

import (
	"errors"
	"fmt"
	"slices"
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
