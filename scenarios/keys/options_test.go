package keys_test

import (
	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// race returns the options of a small foot race.
func race() keys.Options {
	return keys.Options{
		Seed: 42,
		Attributes: []keys.Attribute{
			{Name: "event", Values: keys.ValueList{Values: []string{"2011 New York City Marathon", "2011 Berlin Marathon"}}},
			{Name: "distance", Values: keys.ValueList{Values: []string{"Full", "Half", "10 km"}, Weights: []int64{40, 35, 25}}},
			{Name: "bib", Values: keys.Sequence{Start: 1}},
			{Name: "name", Values: keys.ValueList{Values: []string{"Ada", "Björn", "田中"}}},
			{Name: "age", Values: keys.Uniform{Low: 18, High: 79}},
			{Name: "paid", Values: keys.ValueList{Values: []string{"true", "false"}, Weights: []int64{9, 1}}},
			{Name: "day", Values: keys.Uniform{Low: 10, High: 28}},
		},
		PartitionKey: template("{event}__{distance}"),
		RowKey:       template("{bib}__{name}__{age}"),
		Properties: []keys.PropertySpec{
			{Name: "Name", Type: entity.TypeString, Value: template("{name}")},
			{Name: "Age", Type: entity.TypeInt32, Value: template("{age}")},
			{Name: "Number", Type: entity.TypeInt64, Value: template("{bib}")},
			{Name: "Paid", Type: entity.TypeBoolean, Value: template("{paid}")},
			{Name: "Fee", Type: entity.TypeDouble, Value: template("{age}.50")},
			{Name: "Registered", Type: entity.TypeDateTime, Value: template("2011-05-{day}T08:00:00Z")},
		},
		Size:   1024,
		Filler: "Notes",
	}
}

// template returns the template of a text that is known to be one.
func template(text string) keys.Template {
	t, err := keys.ParseTemplate(text)
	if err != nil {
		panic(err)
	}
	return t
}
