package scenarios

import (
	"errors"
	"io"
	"strconv"

	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// only leaves a value out when it is written, unless it is given.
type only struct {
	fields.Binding
	given func() bool
}

// Write implements [fields.Binding].
func (o only) Write() *fields.Node {
	if !o.given() {
		return nil
	}
	return o.Binding.Write()
}

// Bounds of what curves are shaped by.
const (
	leastSigma, mostSigma = 0.01, 5
	leastTail, mostTail   = 0.1, 100
	mostExponent          = 5
)

// greatest is the field of the size at which a curve is cut.
func greatest(c *keys.Curve) fields.Field {
	return fields.Field{Name: "max", Says: "The size at which the curve is cut: what is larger is drawn as this; 1 MiB, which an entity may have, unless it is given.",
		Value: only{parseBytes(&c.High), func() bool { return c.High != entity.MaxEntityBytes }}}
}

// ReadCurve returns a curve with the sizes of its file. The error joins up to twenty
// [*csvfile.Fault], or is that of the reader.
func ReadCurve(c *keys.Curve, from io.Reader) (*keys.Curve, error) {
	set, err := c.File.Read(from)
	if err != nil {
		return nil, err
	}
	read := *c
	var faults []error
	for i := range set.Len() {
		text, weight, line := set.Row(i)
		size, err := strconv.ParseInt(text, 10, 64)
		if err != nil || size < 1 || size > entity.MaxEntityBytes {
			if len(faults) < keys.MostRowFaults {
				faults = append(faults, &csvfile.Fault{File: c.File.File, Line: line, Kind: keys.ErrInvalidRow,
					What: c.File.Column + " is " + nearest.Shown(text) + "; expected a whole number of bytes from 1 to " + strconv.Itoa(entity.MaxEntityBytes)})
			}
			continue
		}
		read.List, read.Weights = append(read.List, size), append(read.Weights, weight)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return &read, nil
}
