import type { Exception, Target } from './exceptions.ts'

/** What a tool objects to. */
export interface Objection {
  readonly check: string
  readonly resource: string
  readonly says: string
}

/** Objections without an exception, and exceptions without an objection; empty when all is well. */
export function verdict(
  objections: readonly Objection[],
  exceptions: readonly Exception[],
  { tool, target }: { readonly tool: Exception['tool']; readonly target: Target },
): string[] {
  const own = exceptions.filter((each) => each.tool === tool && each.in.includes(target))
  const isExcepted = (objection: Objection): boolean => own.some((each) => covers(each, objection))
  const fresh = objections.filter((each) => !isExcepted(each))
  const idle = own.filter((each) => !objections.some((objection) => covers(each, objection)))
  return [
    ...fresh.map(({ check, resource, says }) => `${check} ${resource}: ${says}`),
    ...idle.map(({ check }) => `${check}: the exception for ${target} is not needed any longer`),
  ]
}

function covers({ check, on }: Exception, objection: Objection): boolean {
  if (check !== objection.check) return false
  const name =
    objection.resource
      .split('::')
      .at(-1)
      ?.replace(/^\w+\.(?=\w+$)/, '') ?? ''
  return on === undefined || on.some((each) => name === each || isNamedByCdk(name, each))
}

/** The CDK puts a hash of eight digits behind a name. */
function isNamedByCdk(name: string, id: string): boolean {
  return name.startsWith(id) && /^[\dA-F]{8}$/.test(name.slice(id.length))
}

/** @param json what checkov writes with `-o json` about one framework */
export function objectionsOfCheckov(json: string): Objection[] {
  const report = JSON.parse(json) as {
    readonly results: {
      readonly failed_checks: readonly {
        readonly check_id: string
        readonly check_name: string
        readonly resource: string
      }[]
      readonly parsing_errors: readonly string[]
    }
    readonly summary: { readonly passed: number; readonly resource_count: number }
  }
  const { results, summary } = report
  // A tool that has read nothing objects to nothing.
  if (results.parsing_errors.length > 0 || summary.passed === 0 || summary.resource_count === 0) {
    throw new Error(`checkov could not read it: ${JSON.stringify(summary)}`)
  }
  return results.failed_checks.map(({ check_id, check_name, resource }) => ({
    check: check_id,
    resource,
    says: check_name,
  }))
}

/** @param json what cfn-lint writes with `--format json` */
export function objectionsOfCfnLint(json: string): Objection[] {
  const matches = JSON.parse(json === '' ? '[]' : json) as readonly {
    readonly Message: string
    readonly Rule: { readonly Id: string }
    readonly Location: { readonly Path?: readonly (string | number)[] | null }
  }[]
  return matches.map(({ Message, Rule, Location }) => ({
    check: Rule.Id,
    resource: String(Location.Path?.[1] ?? 'the template'),
    says: Message,
  }))
}
