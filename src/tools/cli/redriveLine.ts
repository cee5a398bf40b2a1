/** The words of the command, and the action of its plans. */
export const REDRIVE = 'dlq redrive'

/** Those that a run left over need its `--force` again. */
export function lineToContinue(name: string, force: boolean): string {
  return `lineclear ${REDRIVE} --continue ${name} --apply ${name}${force ? ' --force' : ''}`
}
