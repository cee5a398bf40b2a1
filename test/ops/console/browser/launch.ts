import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { findChromium, withoutChromium } from './chromium.ts'
import { HOSTS } from './hosts.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the Chromium of this run is to be reached. */
    readonly chromium: string
  }
}

/** One Chromium for all tests. */
export default async function launch(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error(withoutChromium())
  const server = await chromium.launchServer({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', `--host-resolver-rules=${HOSTS}`],
  })
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
