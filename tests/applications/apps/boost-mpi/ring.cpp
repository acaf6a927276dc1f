// Maps of strings go round a ring, sums and longest strings are reduced, as Boost.MPI serializes and matches them.
#include <boost/mpi.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <iostream>
#include <map>
namespace mpi = boost::mpi;

struct longest {
    std::string operator()(const std::string &a, const std::string &b) const { return a.size() < b.size() ? b : a; }
};

int main()
{
    mpi::environment environment;
    mpi::communicator world;
    int next = (world.rank() + 1) % world.size(), before = (world.rank() + world.size() - 1) % world.size();
    std::map<std::string, std::vector<int>> words;
    for (int round = 0; round < 200; round++) {
        words["rank " + std::to_string(world.rank())].push_back(round);
        std::map<std::string, std::vector<int>> come;
        mpi::request requests[] = {world.isend(next, round % 7, words), world.irecv(before, round % 7, come)};
        mpi::wait_all(requests, requests + 2);
        std::string all = mpi::all_reduce(world, words.begin()->first + std::string(world.rank(), '!'), longest());
        std::vector<std::string> gathered;
        mpi::gather(world, all, gathered, round % world.size());
        mpi::broadcast(world, come, round % world.size());
        words.insert(come.begin(), come.end());
    }
    int sum = mpi::all_reduce(world, int(words.size()), std::plus<int>());
    if (world.rank() == 0)
        std::cout << "entries " << sum << "\n";
}
