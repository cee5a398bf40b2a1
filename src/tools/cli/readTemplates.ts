import { messageOf } from '../../base/errors.ts'
import type { Deployment } from '../doctor/index.ts'
import type { Io } from './command.ts'
import { UsageError } from './usageError.ts'

/**
 * Reads the values of `--template` as one deployment.
 * @param undone what the command did not do if a file cannot be read, such as `Nothing was checked`
 * @throws UsageError
 */
export async function readTemplates(
  paths: readonly string[],
  parameter: readonly string[],
  { table: tableName }: Pick<Io, 'table'>,
  undone: string,
): Promise<Deployment> {
  const { EXPECTED, readDeployment } = await import('../doctor/index.ts')
  const parameters = readParameters(parameter)
  const { declared, deployment } = await readDeployment(
    paths,
    { tableName, parameters },
    (path, error) => {
      const why = error instanceof RangeError ? 'it is nested too deeply' : messageOf(error)
      return new UsageError(`--template: ${EXPECTED}; got ${path} (${why}). ${undone}`)
    },
  )
  refuseUndeclared(Object.keys(parameters), declared, undone)
  return deployment
}

/** Under a misspelled name the default would be checked, and found to be fine. */
function refuseUndeclared(
  given: readonly string[],
  declared: readonly string[],
  undone: string,
): void {
  const wrong = given.find((name) => !declared.includes(name))
  if (wrong === undefined) return
  const known = declared.length === 0 ? 'none is declared' : `declared: ${declared.join(', ')}`
  throw new UsageError(
    `--parameter: expected a parameter of a template (${known}), got ${wrong}. ${undone}`,
  )
}

function readParameters(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((each) => {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(each) ?? []
      if (name === undefined || value === undefined) {
        throw new UsageError(`--parameter: expected NAME=VALUE, got ${JSON.stringify(each)}`)
      }
      return [name, value] as const
    }),
  )
}
