import { categories } from '../../../src/core/resource/categories.ts';
import { markOf, namesOf } from '../canaries.ts';
import type { SimulatedExchange } from '../ledger.ts';
import { type Invariant, nameOf } from './invariant.ts';

/**
 * No response shows a value of a category that is hidden from the user.
 * Nor does it name a field of it that the user has not named.
 */
export const hidden: Invariant = {
  name: 'nothing hidden is shown',
  exchange: each => {
    const { served, sent, user } = each;
    if (!served || sent.path.includes('/openapi')) return [];
    const views = user.viewsAt(served.at);
    return categories
      .filter(category => views.every(view => view.hidden.includes(category)))
      .flatMap(category => shownOf(each, markOf(category), namesOf(category)))
      .map(text => `${nameOf(each)} shows ${text}`);
  },
};

const shownOf = ({ served, sent }: SimulatedExchange, mark: string, names: readonly string[]): readonly string[] => {
  const text = `${served?.text} ${served?.headers['x-warnings'] ?? ''}`;
  const own = `${decodeURIComponent(sent.path)} ${sent.body ?? ''}`;
  const marks = text.match(new RegExp(`${mark} ?\\d+`, 'g')) ?? [];
  return [
    ...marks.filter(found => !own.includes(found)),
    ...names.filter(name => named(text, name) && !named(own, name)),
  ];
};

const named = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w.-])${name.replaceAll('.', '\\.')}(?![\\w.-])`).test(text);
