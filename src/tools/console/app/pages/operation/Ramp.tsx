import { type Operation, rampOf } from './standing.ts'

interface RampProps {
  readonly of: Operation
  readonly isRunning: boolean
}

/** A redrive begins slowly, and looks after each step what became of what it has sent. */
export function Ramp({ of, isRunning }: RampProps) {
  const ramp = rampOf(of)
  if (ramp === undefined) return null
  const { steps, stopAfter } = ramp
  return (
    <section>
      <h3>Ramp, dead letters a second</h3>
      <ol class="ramp">
        {steps.map((step) => (
          <li
            key={step}
            class={of.rate !== undefined && step <= of.rate ? 'reached' : ''}
            aria-current={isRunning && step === of.rate ? 'step' : undefined}
          >
            {step}
          </li>
        ))}
      </ol>
      <p class="faint">
        {stopAfter === undefined
          ? 'No ramp: it does not check for failures, and does not stop.'
          : `It stops when ${stopAfter} of the first 100 have failed again.`}
      </p>
    </section>
  )
}
