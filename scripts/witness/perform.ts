import { createClient } from './client.ts';
import { resolve } from './refer.ts';
import { Service } from './service.ts';
import type { PerformStep, RecordedStep, RequestStep, StepResult } from './step.ts';

/** The maximum length of a body that later steps can refer to. */
const kept = 300_000;

/**
 * Runs `work` on a new service of this checkout, whose clock advances by one second with each step.
 * @param witness receives each step and its result
 */
export const withService = async (
  work: (perform: PerformStep) => Promise<void>,
  witness: (entry: RecordedStep, number: number) => void,
): Promise<void> => {
  const service = await Service.create();
  const client = createClient(service.ports);
  const results: (StepResult | undefined)[] = [];
  const send = (step: RequestStep) => {
    const headers = Object.entries(step.headers).map(([name, value]) => [name, resolve(value, results)]);
    const body = step.body === undefined ? {} : { body: resolve(step.body, results) };
    const target = resolve(step.target, results);
    return client.send({ ...step, target, headers: Object.fromEntries(headers), ...body });
  };
  const perform: PerformStep = async step => {
    const number = results.length;
    service.setClock(number);
    const result = await (step.kind === 'request'
      ? send(step)
      : step.kind === 'command'
        ? service.command(step.args)
        : service[step.kind]());
    results.push(result.body.length > kept ? undefined : result);
    witness({ step, result }, number);
    return { number, result };
  };
  try {
    await work(perform);
  } finally {
    client.close();
    await service.close();
  }
};
