package sandbox

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// Reasons for an ExecError that are used in several places.
const (
	reasonMissing = "no such file"
	reasonMode    = "not executable: it has no execute permission"
)

// explainExec explains why a file could not be executed.
func explainExec(path string, err error) string {
	st, statErr := os.Stat(path)
	switch {
	case errors.Is(err, syscall.E2BIG):
		return "arguments and environment are too long"
	case errors.Is(statErr, fs.ErrNotExist):
		return reasonMissing
	case errors.Is(statErr, syscall.ENOTDIR):
		return "no such file: a part of its path is not a directory"
	case errors.Is(statErr, syscall.ELOOP):
		return "its links lead in a circle"
	case statErr != nil:
		return statErr.Error()
	case st.IsDir():
		return "is a directory"
	case !st.Mode().IsRegular():
		return "is not a regular file"
	case st.Mode()&0o111 == 0:
		return reasonMode
	case st.Size() == 0:
		return "is empty"
	}
	f, openErr := os.Open(path)
	if openErr != nil {
		return fmt.Sprintf("%v", err)
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.ReadAt(head, 0)
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("#!")):
		return explainScript(head, err)
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		return explainELF(f, err)
	case bytes.HasPrefix(head, []byte("MZ")):
		return "made for another system: Windows"
	case bytes.HasPrefix(head, []byte{0xcf, 0xfa, 0xed, 0xfe}), bytes.HasPrefix(head, []byte{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0}):
		return "made for another system: macOS"
	case errors.Is(err, syscall.ENOEXEC):
		return "not an executable format: neither a binary for this machine nor a script that begins with #!"
	}
	return err.Error()
}

func explainScript(head []byte, err error) string {
	line, _, _ := bytes.Cut(head[2:], []byte("\n"))
	interpreter := strings.Trim(string(line), " \t")
	if i := strings.IndexAny(interpreter, " \t"); i >= 0 {
		interpreter = interpreter[:i]
	}
	if interpreter == "" {
		return "a script without an interpreter after #!"
	}
	if strings.HasSuffix(interpreter, "\r") {
		return fmt.Sprintf("a script with Windows line ends: its interpreter would be %q", interpreter)
	}
	if _, statErr := os.Stat(interpreter); statErr != nil {
		return fmt.Sprintf("a script whose interpreter %s does not exist", interpreter)
	}
	return fmt.Sprintf("a script whose interpreter %s cannot be executed: %v", interpreter, err)
}

// machines maps each GOARCH of Linux to its ELF machine.
var machines = map[string]elf.Machine{
	"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "386": elf.EM_386, "arm": elf.EM_ARM, "riscv64": elf.EM_RISCV,
}

// otherMachine returns a reason if the file is a program for another kind of machine. The kernel may start such a
// program, but the program then fails at its first system call.
func otherMachine(path string) string {
	file, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	return foreign(file)
}

func foreign(file *elf.File) string {
	if want, known := machines[runtime.GOARCH]; known && file.Machine != want {
		its, ours := strings.TrimPrefix(file.Machine.String(), "EM_"), strings.TrimPrefix(want.String(), "EM_")
		return fmt.Sprintf("made for another machine: %s, and this is %s", its, ours)
	}
	return ""
}

func explainELF(f *os.File, err error) string {
	file, elfErr := elf.NewFile(f)
	if elfErr != nil {
		return "a damaged ELF file: " + elfErr.Error()
	}
	if why := foreign(file); why != "" {
		return why
	}
	if file.Type != elf.ET_EXEC && file.Type != elf.ET_DYN {
		return fmt.Sprintf("an ELF file that is not a program but of type %s", file.Type)
	}
	for _, p := range file.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		name := make([]byte, min(p.Filesz, 4096))
		if _, err := p.ReadAt(name, 0); err != nil {
			return "a damaged ELF file: its loader's name cannot be read"
		}
		loader := string(bytes.TrimRight(name, "\x00"))
		if _, statErr := os.Stat(loader); statErr != nil {
			return fmt.Sprintf("needs the loader %s, which does not exist", loader)
		}
	}
	if errors.Is(err, syscall.ENOEXEC) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOMEM) {
		return "a damaged ELF file"
	}
	return err.Error()
}
