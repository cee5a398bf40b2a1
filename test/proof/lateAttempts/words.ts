/** A peer that no test runs here, and what its makers say of late attempts, in a file of their package. */
export interface Quoted {
  readonly name: string
  readonly package: string
  readonly version: string
  /** The day of that version. */
  readonly date: string
  readonly file: string
  /** The parts of what is quoted, in their order. */
  readonly words: readonly string[]
  /** What it does better than Lineclear. */
  readonly better: string
}

export const QUOTED: readonly Quoted[] = [
  {
    name: 'BullMQ',
    package: 'bullmq',
    version: '6.7.0',
    date: '2026-11-04',
    file: 'dist/esm/interfaces/worker-options.d.ts',
    words: [
      'If the lock is lost, the job will',
      'move back to wait so that another worker can process it again.',
    ],
    better: 'priorities, rates and trees of jobs, with Redis alone',
  },
  {
    name: 'Temporal',
    package: '@temporalio/common',
    version: '1.24.0',
    date: '2026-09-15',
    file: 'lib/activity-options.d.ts',
    words: [
      "the Temporal Server doesn't detect Worker process failures directly: instead, it relies on this timeout",
    ],
    better: 'long workflows in plain code, also in Go, Java and Python',
  },
  {
    name: 'Restate',
    package: '@restatedev/restate-sdk',
    version: '1.17.2',
    date: '2026-09-22',
    file: 'dist/context.d.ts',
    words: ['There is a small window where an action may be re-run'],
    better: 'calls between services in plain code, with answers',
  },
  {
    name: 'Trigger.dev',
    package: '@trigger.dev/sdk',
    version: '4.8.3',
    date: '2026-10-30',
    file: 'docs/idempotency.mdx',
    words: ['It does not stop the code inside that task from *running* twice.'],
    better: 'tasks that run for hours',
  },
  {
    name: 'Workflow SDK',
    package: 'workflow',
    version: '4.8.9',
    date: '2026-09-16',
    file: 'docs/foundations/idempotency.mdx',
    words: [
      'When the step retries (because the previous attempt was considered a failure), it will charge the user again.',
    ],
    better: 'waits and sleeps in plain code',
  },
]

/** The line of the list in the README. */
export function lineOf({ name, package: of, version, date, file, words, better }: Quoted): string {
  const url = `https://unpkg.com/${of}@${version}/${file}`
  return `- [${name} ${version}](${url}), ${date}: "${words.join(' … ')}" Better: ${better}.`
}
