package run

import (
	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/store"
	"loadgen/scenarios/campaign"
)

// Script says what the rows of a trace ask for.
type Script = campaign.Script

// Asked is what a row of a trace asks for.
type Asked = campaign.Asked

// held are the tables of an engine that hold entities as soon as they are made, nil where
// the plan names none: what was there before a log began took nobody's time in it.
func (p *Plan) held() map[string]engine.Store {
	if len(p.Held) == 0 {
		return nil
	}
	return map[string]engine.Store{account: &heldStore{store.New(), p.Held}}
}

// heldStore are tables that begin with some entities.
type heldStore struct {
	*store.Store
	keys []entity.Key
}

// CreateTable implements [engine.Store].
func (s *heldStore) CreateTable(name string) entity.Code {
	code := s.Store.CreateTable(name)
	if code != entity.OK {
		return code
	}
	content := []entity.Property{{Name: "V", Value: entity.Int32(1)}}
	for _, key := range s.keys {
		s.Apply(name, &entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: content}, entity.EarliestDateTime)
	}
	return code
}
