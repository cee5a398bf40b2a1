import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** A line for each package of which npm's latest version is not the one that is proven. */
export async function newerThan(
  proven: ReadonlyMap<string, string>,
  latest: (name: string) => Promise<string> = latestOnNpm,
): Promise<readonly string[]> {
  const lines = await Promise.all(
    [...proven].map(async ([name, version]) => {
      const now = await latest(name)
      return now === version
        ? []
        : [`test/README.md: ${name} ${version} is compared, npm has ${now}`]
    }),
  )
  return lines.flat()
}

async function latestOnNpm(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['view', name, 'version'])
  return stdout.trim()
}
