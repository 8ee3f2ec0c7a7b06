package faults

import "lockstep/model"

// stepping is what faults have in common that let a clock step by so much.
type stepping struct {
	lasting
	back bool
}

func (f stepping) Describe(model.MoveKind) string {
	if f.back {
		return "has its clock step back by " + model.FormatDuration(f.longest)
	}
	return "has its clock step forward by " + model.FormatDuration(f.longest)
}

// step returns by how much the clock steps: a negative number is back.
func (f stepping) step() model.Ticks {
	if f.back {
		return -f.limit
	}
	return f.limit
}
