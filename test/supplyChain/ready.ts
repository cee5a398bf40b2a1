/** What a release is judged by, as texts of the repository. */
export interface Release {
  readonly manifest: Readonly<Record<string, unknown>>
  readonly security: string
  readonly changelog: string
  /** Texts that say `unreleased` until there is a release, by their path. */
  readonly texts: Readonly<Record<string, string>>
  /** The tag that is released, such as `v1.0.0`. undefined: none yet. */
  readonly tag: string | undefined
}

const ADDRESS = /https:\/\/\S+\.\S+|[\w.+-]+@[\w-]+\.\w+/

/** What stands against a release, one line each. */
export function missingIn({
  manifest,
  security,
  changelog,
  texts,
  tag,
}: Release): readonly string[] {
  const version = String(manifest['version'])
  const lines: readonly (readonly [isMissing: boolean, line: string])[] = [
    ...['repository', 'bugs', 'homepage'].map(
      (field) => [!hasAddress(manifest[field]), `package.json: ${field} is not filled in`] as const,
    ),
    [!ADDRESS.test(contactIn(security)), 'SECURITY.md: **Contact** names no address'],
    [!isDated(changelog, version), `CHANGELOG.md: ${version} has no date`],
    ...Object.entries(texts).map(
      ([path, text]) => [/unreleased/.test(text), `${path}: says unreleased`] as const,
    ),
    [tag !== undefined && tag !== `v${version}`, `the tag is ${tag}, the version ${version}`],
  ]
  return lines.filter(([isMissing]) => isMissing).map(([, line]) => line)
}

function hasAddress(field: unknown): boolean {
  const url = typeof field === 'object' && field !== null && 'url' in field ? field.url : field
  return typeof url === 'string' && ADDRESS.test(url)
}

function contactIn(security: string): string {
  return /^\*\*Contact\*\*: ([\s\S]*?)(?:\n\n|$)/m.exec(security)?.[1] ?? ''
}

function isDated(changelog: string, version: string): boolean {
  return new RegExp(`^## ${version} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm').test(changelog)
}
