module example.org/leader

go 1.26.0

require lockstep v0.0.0

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/jedib0t/go-pretty/v6 v6.9.2 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.28.0 // indirect
)

replace lockstep => ../..
