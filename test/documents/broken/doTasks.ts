import { join } from 'node:path'
import { Readable } from 'node:stream'
import { runCli } from '../../../src/tools/cli/runCli.ts'
import { systemClock } from '../../../src/library/base/clock.ts'
import { ROOT } from '../readme/documents.ts'
import type { BrokenShop } from './brokenShop.ts'
import type { Task } from './tasks.ts'

export interface Answer {
  /** As it was typed. */
  readonly command: string
  readonly code: number
  readonly text: string
}

/** The words of a command, quoted as in a shell. */
export function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, single?: string, double?: string) => single ?? double ?? '',
    ),
  )
}

/** `PLAN` is replaced by the plan that was printed before. */
export function filledIn(command: string, before: string): string {
  const plan = /--apply ([0-9a-f]{8})\b/.exec(before)?.[1] ?? 'PLAN'
  const done = /restore ([0-9a-f]{8})\b/.exec(before)?.[1] ?? 'PLAN'
  return command
    .replace('--apply PLAN', `--apply ${plan}`)
    .replace('restore PLAN', `restore ${done}`)
    .replace('TEMPLATE', join(ROOT, 'examples/broken/template.yml'))
}

/** Types the commands of a task, one after the other. */
export async function doTask(shop: BrokenShop, task: Task): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (const [at, each] of task.commands.entries()) {
    if (task.repaired?.before === at + 1) await shop.fix(task.repaired.cause)
    const command = filledIn(each, answers.at(-1)?.text ?? '')
    // There is nothing to apply.
    if (command.includes('--apply PLAN')) continue
    const isLast = at === task.commands.length - 1
    const shows = task.settles === true && isLast ? task.shows[at] : undefined
    answers.push({ command, ...(await typedUntil(shop, wordsOf(command), shows)) })
  }
  return answers
}

/** Milliseconds, on a busy machine. */
const SETTLED = 40_000

/** @param shows undefined: whatever it answers */
async function typedUntil(
  shop: BrokenShop,
  words: readonly string[],
  shows: RegExp | undefined,
): ReturnType<typeof typed> {
  for (const end = Date.now() + SETTLED; ;) {
    const answer = await typed(shop, words)
    if (shows === undefined || shows.test(answer.text) || Date.now() > end) return answer
  }
}

/** The command line with its own clients, in this process. */
export async function typed(
  { place }: BrokenShop,
  words: readonly string[],
): Promise<{ code: number; text: string }> {
  const lines: string[] = []
  const code = await runCli(['--local', '--by', 'ann', ...words], {
    out: (line) => void lines.push(line),
    err: (line) => void lines.push(line),
    terminal: { write: () => {} },
    stdin: Readable.from([]),
    width: undefined,
    env: {},
    cwd: place,
    clock: systemClock,
    user: () => 'ann',
    version: () => '1.2.3',
  })
  return { code, text: lines.join('\n') }
}
