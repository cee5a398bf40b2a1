import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly permissions?: unknown
  readonly steps?: readonly Step[]
  readonly 'timeout-minutes'?: number
}

export interface Workflow {
  readonly on?: unknown
  readonly permissions?: unknown
  readonly jobs?: Readonly<Record<string, Job>>
}

/** What a job may write: results of scans, and the token by which npm and Scorecard know the workflow. */
const MAY_WRITE: ReadonlySet<string> = new Set(['security-events', 'id-token'])
/** They run with the rights of the repository on what a stranger has sent. */
const FOR_STRANGERS = ['pull_request_target', 'workflow_run', 'issue_comment']
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/

/** What makes a workflow unsafe, one line each. */
export function mistakesIn(text: string): readonly string[] {
  const workflow = readWorkflow(text)
  const { on, permissions } = workflow
  const events = eventsOf(on)
  return [
    ...FOR_STRANGERS.filter((event) => events.includes(event)).map((event) => `runs on ${event}`),
    ...(isEmpty(permissions) ? [] : ['permissions at the top are not {}']),
    ...Object.entries(workflow.jobs ?? {}).flatMap(([name, job]) =>
      mistakesOfJob(job, text).map((mistake) => `${name}: ${mistake}`),
    ),
  ]
}

export function readWorkflow(text: string): Workflow {
  return Object(parse(text, { merge: true })) as Workflow
}

/** One event, a list of them, or their options by name. */
function eventsOf(on: unknown): readonly unknown[] {
  if (Array.isArray(on)) return on
  return typeof on === 'object' && on !== null ? Object.keys(on) : [on]
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function mistakesOfJob(job: Job, text: string): readonly string[] {
  const steps = job.steps ?? []
  return [
    ...mistakesOfPermissions(job.permissions),
    ...(job['timeout-minutes'] === undefined ? ['has no timeout-minutes'] : []),
    ...steps.flatMap((step) => mistakesOfStep(step, text)),
  ]
}

function mistakesOfPermissions(permissions: unknown): readonly string[] {
  if (typeof permissions !== 'object' || permissions === null) return ['names no permissions']
  return Object.entries(permissions)
    .filter(([name, value]) => value !== 'read' && !(value === 'write' && MAY_WRITE.has(name)))
    .map(([name, value]) => `may not have ${name}: ${value}`)
}

function mistakesOfStep({ uses, run, with: given }: Step, text: string): readonly string[] {
  // The shell would take a title or the name of a branch for its own commands.
  if (run?.includes('${{')) return ['an expression stands in a script: hand it over by env']
  if (uses === undefined) return []
  const mistakes: string[] = []
  if (!PINNED.test(uses)) mistakes.push(`${uses} is not pinned to a commit`)
  else if (!new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+\\n`).test(`${text}\n`))
    mistakes.push(`${uses} has no comment with its version`)
  if (uses.startsWith('actions/checkout@') && given?.['persist-credentials'] !== false)
    mistakes.push('checkout keeps its credentials: persist-credentials')
  return mistakes
}
