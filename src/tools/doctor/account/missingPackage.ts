/** An optional package that is needed, and not installed. */
export class MissingPackageError extends Error {
  readonly package: string

  constructor(name: string) {
    super(`${name} is not installed. Type: npm install --save-dev ${name}`)
    this.package = name
  }
}

const CODES: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

/** The package that was not found by `import`, or by `require`, which the commands of the built package load with. A file is none. */
export function missingPackage(error: unknown): string | undefined {
  if (error instanceof MissingPackageError) return error.package
  if (!(error instanceof Error && 'code' in error && CODES.has(error.code))) return undefined
  return /^Cannot find (?:module|package) '((?:@[\w.-]+\/)?\w[\w.-]*)/.exec(error.message)?.[1]
}
