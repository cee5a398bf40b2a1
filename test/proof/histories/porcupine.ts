import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stableId } from '../../../src/library/base/ids.ts'
import { type Referee, referee } from '../../referees/engines.ts'

const SOURCE = resolve(import.meta.dirname, 'judge')
const INSTALLED = '/usr/local/go/bin/go'

/** Porcupine with the models of `judge`: its version is Porcupine's, and that of the models. */
export const PORCUPINE: Referee = referee(
  'porcupine',
  `1.3.1-${versionOf()}`,
  'judge',
  (folder) => ({
    standsFor: 'a judge of histories',
    needs: 'Go 1.26 or later, on PATH or in /usr/local/go; the module is fetched once',
    install: [
      {
        command: existsSync(INSTALLED) ? INSTALLED : 'go',
        args: ['build', '-C', SOURCE, '-mod=readonly', '-o', join(folder, 'bin/judge'), '.'],
      },
    ],
  }),
)

function versionOf(): string {
  const files = globSync('*', { cwd: SOURCE }).toSorted()
  return stableId(...files.map((file) => readFileSync(join(SOURCE, file), 'utf8'))).slice(0, 8)
}
