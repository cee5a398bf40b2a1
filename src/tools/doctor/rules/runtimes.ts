import { LAMBDA_PAGES, type DeliveryRule, type Violation } from '../rule.ts'
import { mappedQueues } from './mappedQueues.ts'

/** Of Lineclear's `engines`. */
const LEAST_NODE = 22
const SOURCE = `${LAMBDA_PAGES}/lambda-runtimes.html`

/** The major version; undefined: it is not a runtime of Node.js, or the function is a container image. */
function nodeVersion(runtime: string | undefined): number | undefined {
  const [, version] = /^nodejs(\d+)\.x$/.exec(runtime ?? '') ?? []
  // Without a number: 0.10.
  if (version === undefined) return runtime?.startsWith('nodejs') === true ? 0 : undefined
  return Number(version)
}

/** A container image, a custom runtime and a parameter may be Node.js. */
export function mayRunLineclear(runtime: string | undefined): boolean {
  return runtime === undefined || /^(nodejs|provided)|\$\{/.test(runtime)
}

const old: DeliveryRule = {
  id: 'runtime',
  severity: 'error',
  needs: ['mappings', 'functions'],
  source: SOURCE,
  check: (deployment) => {
    const consumers = new Map(
      mappedQueues(deployment).map(({ function: each }) => [each.id, each.runtime]),
    )
    return [...consumers].flatMap(([id, runtime]) => wrongRuntime(id, runtime))
  },
}

function wrongRuntime(id: string, runtime: string | undefined): Violation[] {
  if (!mayRunLineclear(runtime)) {
    return [
      {
        subject: id,
        severity: 'note',
        problem: `Its runtime is ${runtime}, not Node.js.`,
        consequence:
          'It is no consumer of Lineclear: what it may do with the table is not checked.',
        cure: 'None is needed; a consumer of Lineclear runs on nodejs24.x, or nodejs22.x until April 2027.',
      },
    ]
  }
  const version = nodeVersion(runtime)
  if (version === undefined || version >= LEAST_NODE) return []
  return [
    {
      subject: id,
      problem: `Its runtime is ${runtime}, which AWS has deprecated.`,
      consequence: `Lineclear needs Node.js ${LEAST_NODE}: the function does not start, and all its records become dead letters.`,
      cure: 'Set Runtime: nodejs24.x (nodejs22.x ends in April 2027).',
    },
  ]
}

export const RUNTIME_RULES: readonly DeliveryRule[] = [old]
