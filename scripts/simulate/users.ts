import type { Category } from '../../src/core/resource/categories.ts';
import { changeApiUser } from '../../src/domain/provision/change-api-user.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { revokeToken } from '../../src/tenancy/token-register.ts';
import type { SimulatedServer } from './server.ts';

/** What an API user may do and see. */
export interface UserView {
  readonly hidden: readonly Category[];
  /** None: everything. */
  readonly scopes: readonly string[];
  readonly active: boolean;
}

/** A view, and since when it holds on every instance. */
interface HeldView extends UserView {
  /** Since when it may hold. */
  readonly from: number;
  /** Null: the administration is not done with it. */
  since: number | null;
}

interface UserToken {
  readonly text: string;
  readonly id: string;
  /** Null: it is valid. */
  revokedSince: number | null;
}

/** Milliseconds within which a restriction takes effect. */
const second = 1000;

/** An API user, and what it could see at which time. */
export class SimulatedUser {
  readonly name: string;
  readonly id: number;
  readonly #server: SimulatedServer;
  readonly #views: HeldView[];
  #count = 0;
  #token: UserToken;

  private constructor(server: SimulatedServer, name: string, id: number, view: UserView, token: UserToken) {
    this.#server = server;
    this.name = name;
    this.id = id;
    this.#views = [{ ...view, from: 0, since: 0 }];
    this.#token = token;
  }

  static async create(
    server: SimulatedServer,
    name: string,
    { readOnly = false, hidden = [], scopes = [] }: Partial<UserView> & { readonly readOnly?: boolean },
  ): Promise<SimulatedUser> {
    const { database, tenant } = server;
    const { id } = await createApiUser(database, tenant, { name, readOnly, hidden, scopes });
    return new SimulatedUser(server, name, id, { hidden, scopes, active: true }, await newToken(server, id));
  }

  /** Returns a number that it has not had yet. */
  count(): number {
    return ++this.#count;
  }

  get token(): UserToken {
    return this.#token;
  }

  get view(): UserView {
    return this.#views.at(-1) as HeldView;
  }

  /** The views that a response begun at that time may have: a restriction holds after a second. */
  viewsAt(time: number): readonly UserView[] {
    const first = this.#views.findLastIndex(({ since }) => since !== null && since <= time - second);
    return this.#views.slice(Math.max(0, first)).filter(({ from }) => from <= time);
  }

  /** Changes what it may do and see, as the administration does. */
  async change(changes: Partial<UserView>): Promise<void> {
    const { database, tenant } = this.#server;
    const held: HeldView = { ...this.view, ...changes, from: Date.now(), since: null };
    this.#views.push(held);
    await changeApiUser(database, tenant, this.id, changes);
    held.since = Date.now();
  }

  /** Revokes its token and issues another. */
  async renewToken(): Promise<void> {
    const old = this.#token;
    this.#token = await newToken(this.#server, this.id);
    await revokeToken(this.#server.database, old.id);
    old.revokedSince = Date.now();
  }

  /** Whether a response begun at that time can't be one to a valid token any more. */
  static isRevoked({ revokedSince }: UserToken, time: number): boolean {
    return revokedSince !== null && revokedSince <= time - second;
  }
}

const newToken = async ({ tokens, tenant }: SimulatedServer, id: number): Promise<UserToken> => {
  const { token: text, tokenId } = await tokens.issueToken(tenant, id, 31_536_000);
  return { text, id: tokenId, revokedSince: null };
};

export type { UserToken };
