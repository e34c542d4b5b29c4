package drive

import (
	"context"
	"errors"
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

// clear drops what procedures have made beside the run's own tables.
func (c *Campaign) clear(ctx context.Context) error {
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
	var failures []error
	for _, op := range list {
		if _, err := c.once(ctx, kindDrop, kindDrop, op, target.Expected{NotFound: true}); errors.Is(err, results.ErrWrite) {
			return err
		} else if err != nil {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
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

// goingBeside is how many requests of an operation go to queues and containers, as far
// as that is known beforehand.
func goingBeside(w *Work) int64 {
	if w.Procedure == nil {
		return 0
	}
	requests := int64(0)
	for _, op := range procedure.Requests(w.Procedure) {
		if op.Beside != nil {
			requests++
		}
	}
	return requests
}
