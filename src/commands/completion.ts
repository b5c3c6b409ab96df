import { oneOf } from '../input.ts'
import { type Command, UsageError } from './command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

type Commands = Readonly<Record<string, Command>>

const flagsOf = ({ flags }: Command): string[] => [...Object.keys(flags), 'help'].map((flag) => `--${flag}`)

/** Words after a command: its options where one is begun, else files. */
function bash(commands: Commands): string {
  const cases = Object.entries(commands).map(
    ([name, command]) => `    ${name}) words='${flagsOf(command).join(' ')}' ;;`,
  )
  return `_uwbench() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${Object.keys(commands).join(' ')} --help --version' -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _uwbench uwbench
`
}

/** A single-quoted word of fish, where only quotes and backslashes are special. */
const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

function fish(commands: Commands): string {
  const lines = Object.entries(commands).flatMap(([name, { summary, flags }]) => [
    `complete -c uwbench -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...Object.entries(flags).map(
      ([flag, { help, value, short }]) =>
        `complete -c uwbench -n '__fish_seen_subcommand_from ${name}' -l ${flag}${short ? ` -s ${short}` : ''}${value ? ' -r' : ''} -d ${quoted(help)}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

/** The script of a shell. */
function scriptOf(shell: (typeof shells)[number], commands: Commands): string {
  if (shell === 'fish') return fish(commands)
  return shell === 'zsh'
    ? `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`
    : bash(commands)
}

/** The command that prints what makes a shell complete the others. */
export const completionOf = (commands: () => Commands): Command => ({
  usage: 'bash | zsh | fish',
  summary: 'Prints a script that completes commands and options: source <(uwbench completion bash)',
  words: 1,
  flags: {},
  async run(input, output) {
    const [shell] = input.words
    if (shell === undefined) throw new UsageError(`no shell: expected ${shells.join(', ')}`)
    output.raw(scriptOf(oneOf('shell', shell, shells), commands()))
    return 0
  },
})
