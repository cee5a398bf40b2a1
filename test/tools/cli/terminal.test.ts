import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { completion } from '../../../src/tools/cli/completion.ts'
import { COMMANDS } from '../../../src/tools/cli/commands.ts'
import type { Io } from '../../../src/tools/cli/command.ts'
import { styleFor } from '../../../src/tools/cli/terminal.ts'
import { tableLines } from '../../../src/tools/cli/table.ts'

describe('colours', () => {
  it.each([
    ['on a terminal', true, {}, '\u001B[31mx\u001B[39m'],
    ['not in a pipe', false, {}, 'x'],
    ['not with NO_COLOR', true, { NO_COLOR: '1' }, 'x'],
    ['with an empty NO_COLOR', true, { NO_COLOR: '' }, '\u001B[31mx\u001B[39m'],
    ['not on a dumb terminal', true, { TERM: 'dumb' }, 'x'],
  ])('are shown %s: %j %j', (_when, terminal, env, shown) => {
    expect(styleFor(terminal, env).bad('x')).toBe(shown)
  })
})

describe('a table on a narrow terminal', () => {
  it('cuts explanations, and never an id', () => {
    const id = `orders/${'0123456789'.repeat(8)}`
    const lines = tableLines(['STATUS', 'ID', 'WHY'], [['error', id, 'x'.repeat(300)]], 120)
    expect(lines[1]).toContain(id)
    expect(lines[1]?.length).toBe(120)
    const narrow = tableLines(['STATUS', 'ID', 'WHY'], [['error', id, 'x'.repeat(300)]], 40)
    expect(narrow[1]).toContain(id)
  })
})

describe('completion', () => {
  const script = async (shell: string): Promise<string> => {
    const lines: string[] = []
    const out = (line: string): void => void lines.push(line)
    const io = { out, commands: COMMANDS } as unknown as Io
    await completion.run([shell], io)
    return lines.join('\n')
  }

  it.each([
    ['lineclear st', ['status']],
    ['lineclear decide orders/r1 free --no', ['--not-done']],
    ['lineclear --table t ls --ol', ['--older']],
    ['lineclear dlq redrive dead --gr', ['--group']],
    ['lineclear dlq re', ['redrive', 'restore']],
    [
      'lineclear dlq restore --',
      [
        '--apply',
        '--by',
        '--force',
        '--help',
        '--json',
        '--local',
        '--region',
        '--table',
        '--version',
        '--why',
      ],
    ],
  ])('bash completes %j', async (line, completions) => {
    const words = line.split(' ')
    const run = `${await script('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_lineclear; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', run], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    })
    expect(stderr).toBe('')
    expect(stdout.trim().split('\n').toSorted()).toEqual(completions)
  })

  it.each(['zsh', 'fish'])('%s names every command', async (shell) => {
    const text = await script(shell)
    for (const { words } of COMMANDS)
      for (const word of words.split(' ')) expect(text).toContain(word)
  })
})
