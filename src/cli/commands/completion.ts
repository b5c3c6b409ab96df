import { oneOf } from '../../input.ts'
import { shippedWatermarks } from '../../watermarks/index.ts'
import { type Command, UsageError } from './command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

type Commands = Readonly<Record<string, Command>>

const flagsOf = ({ flags }: Command): string[] => [...Object.keys(flags), 'help'].map((flag) => `--${flag}`)

/** The values that follow an option: ids of watermarks, names of laws. */
const valuesOf = async (): Promise<Record<string, readonly string[]>> => {
  const { allLaws } = await import('../../gate/laws/index.ts')
  return {
    '-w|--watermark': shippedWatermarks().map(({ id }) => id),
    '--law': allLaws.map(({ name }) => name),
  }
}

/** Completes commands first, then values after an option that has known ones, options after a `-`, else files. */
function bash(commands: Commands, values: Record<string, readonly string[]>): string {
  const known = Object.entries(values).map(
    ([options, list]) =>
      `    ${options}) values=$'${list.map((value) => value.replace(/'/g, "\\'")).join('\\n')}' ;;`,
  )
  const cases = Object.entries(commands).map(
    ([name, command]) => `    ${name}) words='${flagsOf(command).join(' ')}' ;;`,
  )
  return `_uwbench() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words= values= value
  COMPREPLY=()
  if [ "\${COMP_WORDS[0]##*/}" = npx ]; then
    [ "\${COMP_WORDS[1]}" = uwbench ] || return
    COMP_WORDS=("\${COMP_WORDS[@]:1}")
    COMP_CWORD=$((COMP_CWORD - 1))
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${Object.keys(commands).join(' ')} --help --version' -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case $before in
${known.join('\n')}
  esac
  if [ -n "$values" ]; then
    while IFS= read -r value; do
      [[ $value == "$word"* ]] && COMPREPLY+=("$(printf %q "$value")")
    done <<< "$values"
    return
  fi
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _uwbench uwbench
complete -o default -o bashdefault -F _uwbench npx
`
}

/** Quotes a word for fish, where only quotes and backslashes are special. */
const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

function fish(commands: Commands, values: Record<string, readonly string[]>): string {
  const lines = Object.entries(commands).flatMap(([name, { summary, flags }]) => [
    `complete -c uwbench -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...Object.entries(flags).map(([flag, { help, value, short }]) => {
      const known = Object.entries(values).find(([options]) => options.endsWith(`--${flag}`))?.[1]
      const list = known === undefined ? '' : ` -f -a ${quoted(known.map(quoted).join(' '))}`
      return `complete -c uwbench -n '__fish_seen_subcommand_from ${name}' -l ${flag}${short ? ` -s ${short}` : ''}${value ? ' -r' : ''}${list} -d ${quoted(help)}`
    }),
  ])
  return `${lines.join('\n')}\n`
}

async function scriptOf(shell: (typeof shells)[number], commands: Commands): Promise<string> {
  const values = await valuesOf()
  if (shell === 'fish') return fish(commands, values)
  return shell === 'zsh'
    ? `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands, values)}`
    : bash(commands, values)
}

/** Makes the command `completion` for the other commands. */
export const completionOf = (commands: () => Commands): Command => ({
  usage: 'bash | zsh | fish',
  summary:
    'Prints a script that completes commands, options, watermarks and laws, under npx too: source <(npx uwbench completion bash)',
  words: 1,
  flags: {},
  async run(input, output) {
    const [shell] = input.words
    if (shell === undefined)
      throw new UsageError(`no shell: expected one of ${shells.join(', ')}, such as uwbench completion bash`)
    output.raw(await scriptOf(oneOf('shell', shell, shells), commands()))
    return 0
  },
})
