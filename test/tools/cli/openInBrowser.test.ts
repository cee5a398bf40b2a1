import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openInBrowser } from '../../../src/tools/cli/serveHere.ts'

const URL_WITH_TOKEN = 'http://127.0.0.1:4711/#token=sEcReT-0_9'

it.runIf(process.platform === 'linux')(
  'the token stands in a file of this user, and not in the command line of the browser',
  async () => {
    const place = mkdtempSync(join(tmpdir(), 'lineclear-'))
    onTestFinished(() => rmSync(place, { recursive: true }))
    const args = join(place, 'args')
    writeFileSync(
      join(place, 'xdg-open'),
      `#!/bin/sh\necho "$@" > ${args}.new && mv ${args}.new ${args}\n`,
    )
    chmodSync(join(place, 'xdg-open'), 0o755)
    vi.stubEnv('PATH', `${place}${delimiter}${process.env['PATH'] ?? ''}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const remove = await openInBrowser(URL_WITH_TOKEN)
    await expect.poll(() => existsSync(args)).toBe(true)
    const file = readFileSync(args, 'utf8').trim()
    expect(file).not.toContain('sEcReT')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toContain('url=http://127.0.0.1:4711/open#token=sEcReT-0_9"')
    await remove()
    expect(existsSync(file)).toBe(false)
  },
)
