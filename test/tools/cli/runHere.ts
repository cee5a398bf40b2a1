import { Readable } from 'node:stream'
import { systemClock } from '../../../src/library/base/clock.ts'
import { runCli } from '../../../src/tools/cli/runCli.ts'

/** A command in this process, without clients unless they are given. */
export async function run(
  args: readonly string[],
  more: Partial<Parameters<typeof runCli>[1]> = {},
) {
  const out: string[] = []
  const err: string[] = []
  const code = await runCli(args, {
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    terminal: { write: () => {} },
    stdin: Readable.from([]),
    width: undefined,
    env: {},
    cwd: '/nowhere',
    clock: systemClock,
    user: () => 'operator',
    version: () => '1.2.3',
    ...more,
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}
