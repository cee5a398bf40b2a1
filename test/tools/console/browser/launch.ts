import { exit } from 'node:process'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { findChromium } from './chromium.ts'
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
  if (executablePath === undefined) {
    // The line at the end of the run says what is missing. An error would be printed with its stack, below the names of all files.
    exit(1)
  }
  const server = await chromium.launchServer({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', `--host-resolver-rules=${HOSTS}`],
  })
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
