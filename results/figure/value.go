package figure

// Value is what a figure is of a record.
type Value struct {
	// Value is in the unit that was asked for. It says nothing unless Told.
	Value float64
	Told  bool
	// AtLeast says that it is a lower bound.
	AtLeast bool
	// Why says why the figure cannot be told, empty where it is.
	Why string
	// Interval has the least and the greatest of what the value is the median of, and of a
	// throughput the ends of its 95 % interval; nil where it is neither.
	Interval *[2]float64
	// Count is how many things it rests on.
	Count int64
	// Provenance says where it comes from.
	Provenance Provenance
}

func told(value float64, count int64) Value { return Value{Value: value, Told: true, Count: count} }

func untold(why string) Value { return Value{Why: why} }

// Pointer returns the value, nil where it cannot be told.
func (v Value) Pointer() *float64 {
	if !v.Told {
		return nil
	}
	return &v.Value
}

// ratio returns a ratio of counts.
func ratio(part, whole int64, why string) Value {
	if whole <= 0 {
		return untold(why)
	}
	return told(float64(part)/float64(whole), whole)
}
