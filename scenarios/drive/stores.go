package drive

import (
	"context"
	"errors"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/procedure"
	"loadgen/target"
)

// longestTable is how much of a table's name the name of a store keeps: no store has
// more than 63 characters.
const longestTable = 48

// storeName returns the name of a queue or a container of the run on a table: small
// letters and digits, and a dash between them.
func storeName(table, name string) string {
	table = strings.ToLower(table)
	return table[max(0, len(table)-longestTable):] + "-" + strings.ToLower(name)
}

// performed returns every operation of the scenario that is a procedure, with its kind.
func (c *Campaign) performed(visit func(kind *procedure.Kind, spec *scenarios.OperationSpec)) {
	for i := range c.Scenario.Phases {
		list := c.Scenario.Phases[i].Operations()
		for j := range list {
			if kind := procedure.Find(list[j].Procedure); kind != nil {
				visit(kind, &list[j])
			}
		}
	}
}

// clear drops what procedures have made beside the run's own tables, after a run that
// ended with an error or nil. Where a table of the run is somebody else's, no procedure
// was carried out, and what is called like this is that somebody's, too. Where the record
// can no longer be written, what is dropped goes unrecorded.
func (c *Campaign) clear(ctx context.Context, ended error) error {
	if slices.ContainsFunc(c.sites, func(at site) bool { return !at.ours }) {
		return nil
	}
	list, broken := c.made(), errors.Is(ended, results.ErrWrite)
	if broken {
		if err := c.unrecorded(); err != nil {
			return err
		}
	}
	var failures []error
	for i := 0; i < len(list); i++ {
		_, err := c.once(ctx, kindDrop, kindDrop, list[i], target.Expected{NotFound: true})
		failures = append(failures, err)
		if errors.Is(err, ErrPreparation) && c.doubtful {
			// Nobody answers: to ask for each of the others would take as long again.
			break
		}
		if errors.Is(err, results.ErrWrite) && !broken {
			broken = true
			if err := c.unrecorded(); err != nil {
				return errors.Join(append(failures, err)...)
			}
			i-- // it may not have been dropped
		}
	}
	return errors.Join(failures...)
}

// made returns the deletions of all that procedures can have made, each once.
func (c *Campaign) made() []target.Operation {
	var list []target.Operation
	seen := make(map[string]bool)
	add := func(op target.Operation, name string) {
		if !seen[name] {
			list = append(list, op)
		}
		seen[name] = true
	}
	c.performed(func(kind *procedure.Kind, spec *scenarios.OperationSpec) {
		if kind.Tables != nil {
			for _, name := range kind.Tables(spec.With) {
				add(target.Operation{Verb: entity.DeleteTable, Table: c.Table + name}, "table "+name)
			}
		}
		if kind.Stores != nil {
			for _, store := range kind.Stores(spec.With) {
				verb := target.DropContainer
				if store.Queue {
					verb = target.DropQueue
				}
				add(target.Operation{Beside: &target.Beside{Verb: verb, Store: storeName(c.Table, store.Name)}}, verb.String()+store.Name)
			}
		}
	})
	return list
}

// Stores returns what a run of the scenario uses beside its tables: queues, containers
// of blobs. A target has to have what is there.
func Stores(s *scenarios.Scenario) (queues, blobs bool) {
	c := &Campaign{Options: Options{Scenario: s}}
	c.performed(func(kind *procedure.Kind, spec *scenarios.OperationSpec) {
		if kind.Stores == nil {
			return
		}
		for _, store := range kind.Stores(spec.With) {
			queues, blobs = queues || store.Queue, blobs || !store.Queue
		}
	})
	return queues, blobs
}

// Tables returns what is added to the name of the run's table for each table that the
// procedures of a scenario make and delete by themselves: under a name that the user
// chose they could be somebody else's.
func Tables(s *scenarios.Scenario) []string {
	var names []string
	c := &Campaign{Options: Options{Scenario: s}}
	c.performed(func(kind *procedure.Kind, spec *scenarios.OperationSpec) {
		if kind.Tables != nil {
			names = append(names, kind.Tables(spec.With)...)
		}
	})
	return names
}
